//# task = "product"
//# tries = "Blocks and ignores all signals, then loops for ever."
//# outcomes = ["timed_out", "sandbox_violation", "crashed"]
//# caught_by = ["deadline"]
#include <signal.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, 0);
  for (int number = 1; number < 65; ++number) signal(number, SIG_IGN);
  for (volatile uint64_t turns = 0;; ++turns) {
  }
}
