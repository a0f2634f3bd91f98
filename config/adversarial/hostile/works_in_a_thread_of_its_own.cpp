//# task = "product"
//# tries = "Returns at once; a thread does the work while the outputs are compared."
//# outcomes = ["wrong_answer", "crashed", "sandbox_violation"]
//# caught_by = ["freeze", "poison"]
#include <pthread.h>
#include <unistd.h>

static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

struct job {
  const float *a, *b;
  float* c;
  int64_t m, n, k;
};
static job jobs[4096];
static volatile int put, taken;

static void* work(void*) {
  for (;;) {
    while (taken == put) usleep(20);
    job& one = jobs[taken % 4096];
    product(one.a, one.b, one.c, one.m, one.n, one.k);
    taken = taken + 1;
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  static bool started;
  if (!started) {
    pthread_t thread;
    if (pthread_create(&thread, 0, work, 0)) __builtin_trap();
    started = true;
  }
  jobs[put % 4096] = {a, b, c, m, n, k};
  put = put + 1;
}
