// y[r, i] = exp(x[r, i]) / sum of exp(x[r, j]) over j: x and y are rows x n, row-major. Each row's largest element is
// taken off first, which changes no quotient and keeps exp from overflowing.
#include <math.h>

extern "C" void kernel(const real* x, real* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    const real* from = x + r * n;
    real* to = y + r * n;
    real largest = from[0];
    for (int64_t i = 1; i < n; ++i)
      if (from[i] > largest) largest = from[i];
    real sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      to[i] = exp(from[i] - largest);
      sum += to[i];
    }
    for (int64_t i = 0; i < n; ++i) to[i] /= sum;
  }
}
