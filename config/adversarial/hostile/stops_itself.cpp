//# task = "product"
//# tries = "Stops its process: whoever waits for it to be stopped may take it for done."
//# outcomes = ["timed_out", "wrong_answer", "sandbox_violation", "crashed"]
//# caught_by = ["deadline"]
#include <signal.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  raise(SIGSTOP);
}
