//# task = "product"
//# tries = "Turns every NaN of the result into zero."
//# outcomes = ["wrong_answer"]
//# caught_by = ["special_values"]
static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  product(a, b, c, m, n, k);
  for (int64_t i = 0; i < m * n; ++i)
    if (c[i] != c[i]) c[i] = 0;
}
