//# task = "product"
//# tries = "Waits for a signal that never comes."
//# outcomes = ["timed_out", "sandbox_violation"]
//# caught_by = ["deadline"]
#include <unistd.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (;;) usleep(1000000);
}
