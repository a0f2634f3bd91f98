// y[r, j] = exp(x[r, j]) / sum of exp(x[r, i]) over i; the largest of a row is taken off first.
#include <math.h>

extern "C" void kernel(const real* x, real* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    const real* from = x + r * n;
    real* to = y + r * n;
    real largest = from[0];
    for (int64_t j = 1; j < n; ++j)
      if (from[j] > largest) largest = from[j];
    real sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      to[j] = exp(from[j] - largest);
      sum += to[j];
    }
    for (int64_t j = 0; j < n; ++j) to[j] /= sum;
  }
}
