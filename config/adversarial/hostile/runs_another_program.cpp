//# task = "product"
//# tries = "Becomes another program, which ends with status 0."
//# outcomes = ["crashed", "sandbox_violation"]
//# caught_by = ["seccomp"]
#include <unistd.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  execl("/bin/true", "true", (char*)0);
  __builtin_trap();
}
