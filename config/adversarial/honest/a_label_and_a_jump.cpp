//# task = "product"
//# tries = "Is made of labels and jumps."
//# outcomes = ["correct_not_faster", "undecided", "improved"]
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  int64_t i = 0, j = 0, p = 0;
  float sum = 0;
next:
  sum += a[i * k + p] * b[p * n + j];
  if (++p < k) goto next;
  c[i * n + j] = sum;
  sum = 0;
  p = 0;
  if (++j < n) goto next;
  j = 0;
  if (++i < m) goto next;
}
