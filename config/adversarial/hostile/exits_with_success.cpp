//# task = "product"
//# tries = "Ends its process with exit status 0."
//# outcomes = ["crashed", "sandbox_violation"]
//# caught_by = ["handshake"]
#include <stdlib.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  _Exit(0);
}
