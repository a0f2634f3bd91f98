//# task = "product"
//# tries = "Adds every other term and doubles the sum: right on average."
//# outcomes = ["wrong_answer"]
//# caught_by = ["tolerance"]
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; p += 2)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += 2 * a[i * k + p] * b[p * n + j];
  }
}
