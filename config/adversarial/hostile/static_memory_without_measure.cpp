//# task = "product"
//# tries = "Has four gibibytes of static memory, which cost nothing until they are loaded."
//# outcomes = ["build_failed", "timed_out", "crashed", "out_of_memory"]
//# caught_by = ["rlimit", "compiler"]
static volatile char boom[4ull << 30];
static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  boom[(3ull << 30) + m * 4096] = 1;
  product(a, b, c, m, n, k);
}
