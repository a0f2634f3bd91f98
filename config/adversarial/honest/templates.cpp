//# task = "product"
//# tries = "Is a template over its block sizes."
//# outcomes = ["improved", "undecided"]
template <int rows, class T>
static void block(const T* __restrict a, const T* __restrict b, T* __restrict c, int64_t n, int64_t k) {
  for (int64_t j = 0; j < rows * n; ++j) c[j] = 0;
  for (int64_t p = 0; p < k; ++p)
    for (int i = 0; i < rows; ++i)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  int64_t i = 0;
  for (; i + 4 <= m; i += 4) block<4>(a + i * k, b, c + i * n, n, k);
  for (; i < m; ++i) block<1>(a + i * k, b, c + i * n, n, k);
}
