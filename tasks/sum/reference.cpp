// y[o, i] = sum of x[o, j, i] over the middle axis j: x is outer x n x inner, y is outer x inner, row-major.
extern "C" void kernel(const real* x, real* y, int64_t outer, int64_t n, int64_t inner) {
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      real sum = 0;
      for (int64_t j = 0; j < n; ++j) sum += x[(o * n + j) * inner + i];
      y[o * inner + i] = sum;
    }
  }
}
