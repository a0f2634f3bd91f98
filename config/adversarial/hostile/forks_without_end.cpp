//# task = "product"
//# tries = "Forks, and so does every child."
//# outcomes = ["crashed", "sandbox_violation", "timed_out"]
//# caught_by = ["seccomp"]
//# needs = "seccomp"
#include <unistd.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (;;)
    if (fork() < 0) __builtin_trap();
}
