//# task = "product"
//# tries = "Defines clock_gettime and gettimeofday: time stands still in its process."
//# outcomes = ["correct_not_faster", "undecided"]
//# caught_by = ["parent_clock"]
#include <sys/time.h>
#include <time.h>

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t, timespec* time) noexcept {
  time->tv_sec = time->tv_nsec = 1;
  return 0;
}
extern "C" __attribute__((visibility("default"))) int gettimeofday(timeval* __restrict time, void* __restrict) noexcept {
  time->tv_sec = time->tv_usec = 1;
  return 0;
}

static void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  product(a, b, c, m, n, k);
}
