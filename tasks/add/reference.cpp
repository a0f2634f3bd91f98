// y[o, i, j, l] = a[o, i, l] + b[o, j, l]: a is outer x m x k, b is outer x n x k, y is outer x m x n x k, row-major.
extern "C" void kernel(const real* a, const real* b, real* y, int64_t outer, int64_t m, int64_t n, int64_t k) {
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t l = 0; l < k; ++l)
          y[((o * m + i) * n + j) * k + l] = a[(o * m + i) * k + l] + b[(o * n + j) * k + l];
}
