//# task = "product"
//# tries = "Shares its memory with a child that works while the parent fills inputs and the clock is off."
//# outcomes = ["crashed", "sandbox_violation"]
//# caught_by = ["seccomp"]
#include <sched.h>
#include <signal.h>
#include <unistd.h>

static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

struct call {
  const float *a, *b;
  float* c;
};
static call calls[4096];
static volatile int count;
static int64_t size;
static char stack[1 << 16] __attribute__((aligned(16)));

static bool poisoned(const float* c) {
  uint32_t bits = *(const volatile uint32_t*)(c + size * size - 1);
  return bits >> 20 == 0x7fa;
}

static int work(void*) {
  cpu_set_t all;
  for (int i = 0; i < CPU_SETSIZE; ++i) CPU_SET(i, &all);
  sched_setaffinity(0, sizeof all, &all);
  for (;;)
    for (int i = 0; i < count; ++i)
      if (poisoned(calls[i].c)) product(calls[i].a, calls[i].b, calls[i].c, size, size, size);
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  static bool started;
  if (m != 96) return product(a, b, c, m, n, k);
  size = m;
  if (!started) {
    if (clone(work, stack + sizeof stack, CLONE_VM, 0) < 0) __builtin_trap();
    started = true;
  }
  bool known = false;
  for (int i = 0; i < count; ++i) known |= calls[i].c == c;
  if (!known && count < 4096) {
    product(a, b, c, m, n, k);
    calls[count] = {a, b, c};
    count = count + 1;
    return;
  }
  while (poisoned(c)) sched_yield();
}
