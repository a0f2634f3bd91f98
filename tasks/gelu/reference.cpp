// y[i] = x[i] / 2 * (1 + tanh(sqrt(2 / pi) * (x[i] + 0.044715 * x[i]^3))) for all i < n.
#include <math.h>

extern "C" void kernel(const real* x, real* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const real v = x[i];
    const real inner = real(0.7978845608028654) * (v + real(0.044715) * v * v * v);
    y[i] = real(0.5) * v * (real(1) + tanh(inner));
  }
}
