//# task = "product"
//# tries = "Kills every process that it can see."
//# outcomes = ["crashed", "sandbox_violation", "timed_out"]
//# caught_by = ["seccomp", "namespace"]
//# needs = "namespace"
#include <signal.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  kill(-1, SIGKILL);
  __builtin_trap();
}
