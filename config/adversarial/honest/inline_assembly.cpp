//# task = "product"
//# tries = "Multiplies and adds in inline assembly."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) {
        float product = a[i * k + p], sum = c[i * n + j];
        __asm__("mulss %1, %0" : "+x"(product) : "x"(b[p * n + j]));
        __asm__("addss %1, %0" : "+x"(sum) : "x"(product));
        c[i * n + j] = sum;
      }
  }
}
