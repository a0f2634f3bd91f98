//# task = "product"
//# tries = "Prints without end."
//# outcomes = ["correct_not_faster", "undecided", "timed_out", "crashed", "sandbox_violation"]
//# caught_by = ["rlimit", "deadline"]
#include <unistd.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  static char text[4096];
  for (;;) (void)!write(1, text, sizeof text);
}
