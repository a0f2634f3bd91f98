//# task = "product"
//# tries = "Sends itself a signal that nobody can catch."
//# outcomes = ["crashed", "sandbox_violation", "wrong_answer"]
//# caught_by = ["handshake"]
#include <signal.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  raise(SIGKILL);
}
