//# task = "clip"
//# case = "sparse"
//# tries = "Clears its output, then writes what is above zero."
//# outcomes = ["correct_not_faster", "undecided", "improved"]
#include <string.h>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  memset(y, 0, n * sizeof(float));
  for (int64_t i = 0; i < n; ++i)
    if (x[i] > 0) y[i] = x[i];
}
