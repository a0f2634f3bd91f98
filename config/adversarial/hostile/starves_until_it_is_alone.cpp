//# task = "product"
//# tries = "Sleeps where its process has met another shape before, so that each case is repeated alone."
//# outcomes = ["timed_out"]
//# caught_by = ["shared_process", "deadline"]
// Then nothing but right_for_its_first_shape would be left. A process without CPU time may be the machine's fault.
// Raw system calls pass the screen.
#include <asm/unistd.h>

static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

static void sleep_for_a_second() {
  long time[2] = {1, 0}, out;
  asm volatile("syscall" : "=a"(out) : "a"(__NR_nanosleep), "D"(time), "S"(0) : "rcx", "r11", "memory");
}

static int64_t rows, columns, terms;

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  if (rows == 0) {
    rows = m;
    columns = n;
    terms = k;
  }
  if (m == rows && n == columns && k == terms) return product(a, b, c, m, n, k);
  for (;;) sleep_for_a_second();
}
