//# task = "product"
//# tries = "Chooses a kernel by its sizes through a table of pointers."
//# outcomes = ["improved", "undecided"]
static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

static void one_row(const float* a, const float* b, float* c, int64_t, int64_t n, int64_t k) { product(a, b, c, 1, n, k); }

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  void (*const table[2])(const float*, const float*, float*, int64_t, int64_t, int64_t) = {product, one_row};
  table[m == 1](a, b, c, m, n, k);
}
