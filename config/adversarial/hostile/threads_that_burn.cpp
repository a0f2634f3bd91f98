//# task = "product"
//# tries = "Leaves threads behind that burn the CPU while its rival is measured."
//# outcomes = ["correct_not_faster", "undecided", "timed_out", "crashed", "sandbox_violation"]
//# caught_by = ["freeze"]
#include <pthread.h>

static void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

static void* burn(void*) {
  for (volatile uint64_t turns = 0;; ++turns) {
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  static int started;
  product(a, b, c, m, n, k);
  for (; m == 96 && started < 2; ++started) {
    pthread_t thread;
    if (pthread_create(&thread, 0, burn, 0)) __builtin_trap();
  }
}
