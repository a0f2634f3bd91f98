//# task = "product"
//# tries = "Starts a thread while it is loaded, before anybody watches."
//# outcomes = ["correct_not_faster", "undecided", "crashed", "sandbox_violation", "timed_out", "build_failed"]
//# caught_by = ["screen", "freeze"]
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
__attribute__((constructor)) static void start() {
  pthread_t thread;
  pthread_create(&thread, 0, burn, 0);
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  product(a, b, c, m, n, k);
}
