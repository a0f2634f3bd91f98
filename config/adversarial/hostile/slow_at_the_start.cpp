//# task = "product"
//# tries = "Is slow in its first calls, so that little of it is measured."
//# outcomes = ["correct_not_faster", "undecided", "wrong_answer"]
//# caught_by = ["paired_timing"]
static void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

static int calls;

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  if (++calls < 4)
    for (volatile int wait = 0; wait < 60000000; ++wait) {
    }
  product(a, b, c, m, n, k);
}
