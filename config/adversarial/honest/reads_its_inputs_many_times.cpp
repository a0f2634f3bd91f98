//# task = "product"
//# tries = "Does all of its work three times."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
static void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (volatile int turn = 0; turn < 3; ++turn) product(a, b, c, m, n, k);
}
