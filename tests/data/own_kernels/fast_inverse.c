#include <stdint.h>
#include <string.h>

// The bits of a float: in double this computes something else.
static inline float fast_inverse_root(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = 0x5f3759dfu - (bits >> 1);
  float y;
  memcpy(&y, &bits, sizeof y);
  return y * (1.5f - 0.5f * x * y * y);
}

float inverse_roots(const float *x, float *y, long n) {
  float last = 0;
  for (long i = 0; i < n; ++i) {
    y[i] = fast_inverse_root(x[i] * x[i] + 1.0f);
    last = y[i];
  }
  return last;
}
