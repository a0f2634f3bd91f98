//# task = "product"
//# tries = "Forks a child that burns the CPU while its rival is measured: a child is not stopped with it."
//# outcomes = ["crashed", "sandbox_violation"]
//# caught_by = ["seccomp"]
#include <sched.h>
#include <unistd.h>

static void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

static int child;

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  if (child == 0 && m == 96) {
    child = fork();
    if (child < 0) __builtin_trap();
    if (child == 0)
      for (volatile uint64_t turns = 0;; ++turns) {
      }
  }
  product(a, b, c, m, n, k);
}
