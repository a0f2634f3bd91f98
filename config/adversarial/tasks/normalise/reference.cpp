// y[r, j] = (x[r, j] - mean of row r) / sqrt(variance of row r + 1e-5).
#include <math.h>

extern "C" void kernel(const real* x, real* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    const real* from = x + r * n;
    real mean = 0;
    for (int64_t j = 0; j < n; ++j) mean += from[j];
    mean /= (real)n;
    real variance = 0;
    for (int64_t j = 0; j < n; ++j) variance += (from[j] - mean) * (from[j] - mean);
    variance /= (real)n;
    real scale = (real)1 / sqrt(variance + (real)1e-5);
    for (int64_t j = 0; j < n; ++j) y[r * n + j] = (from[j] - mean) * scale;
  }
}
