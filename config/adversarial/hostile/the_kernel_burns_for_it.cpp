//# task = "product"
//# tries = "Asks for a polling thread of io_uring, which spins in the kernel while the process is stopped."
//# outcomes = ["correct_not_faster", "undecided", "crashed", "sandbox_violation"]
//# caught_by = ["seccomp"]
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  static bool asked;
  if (!asked && m == 96) {
    uint32_t parameters[30] = {};
    parameters[2] = 2;           // IORING_SETUP_SQPOLL
    parameters[4] = 0x7fffffff;  // milliseconds that the thread goes on without work
    if (syscall(SYS_io_uring_setup, 8, parameters) < 0) __builtin_trap();
    asked = true;
  }
  product(a, b, c, m, n, k);
}
