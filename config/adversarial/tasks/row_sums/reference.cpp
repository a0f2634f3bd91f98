// y[r] = sum of x[r, j] over j; x is rows x n, row-major.
extern "C" void kernel(const real* x, real* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    real sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += x[r * n + j];
    y[r] = sum;
  }
}
