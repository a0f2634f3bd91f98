// c[i] = a[i] * b[i] for each of the batch: a is batch x m x k, b is batch x k x n, c is batch x m x n, row-major.
extern "C" void kernel(const real* a, const real* b, real* c, int64_t batch, int64_t m, int64_t n, int64_t k) {
  for (int64_t t = 0; t < batch; ++t)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        real sum = 0;
        for (int64_t p = 0; p < k; ++p) sum += a[(t * m + i) * k + p] * b[(t * k + p) * n + j];
        c[(t * m + i) * n + j] = sum;
      }
}
