//# task = "product"
//# tries = "Keeps its scratch in thread-local memory."
//# outcomes = ["improved", "undecided"]
static thread_local float row[4096];

static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    if (n > 4096) {
      product(a + i * k, b, c + i * n, 1, n, k);
      continue;
    }
    product(a + i * k, b, row, 1, n, k);
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = row[j];
  }
}
