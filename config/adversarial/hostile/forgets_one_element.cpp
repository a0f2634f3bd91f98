//# task = "product"
//# tries = "Is right but for one element in the middle, left as it was."
//# outcomes = ["wrong_answer"]
//# caught_by = ["poison"]
static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  float before = c[m * n / 2];
  product(a, b, c, m, n, k);
  __builtin_memcpy(c + m * n / 2, &before, 4);
}
