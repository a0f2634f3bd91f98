//# task = "product"
//# tries = "Starts threads until no more can be started."
//# outcomes = ["crashed", "sandbox_violation", "timed_out"]
//# caught_by = ["rlimit"]
//# needs = "namespace"
#include <pthread.h>
#include <unistd.h>

static void* wait(void*) {
  for (;;) usleep(1000000);
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int started = 0; started < 10000; ++started) {
    pthread_t thread;
    if (pthread_create(&thread, 0, wait, 0)) __builtin_trap();
  }
  for (int64_t i = 0; i < m * n; ++i) c[i] = 0;
}
