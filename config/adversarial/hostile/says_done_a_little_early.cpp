//# task = "row_sums"
//# case = "short"
//# tries = "Makes batches of one short call by a slow start, and finishes it while it is being stopped."
//# outcomes = ["correct_not_faster", "undecided", "wrong_answer"]
//# caught_by = ["paired_timing"]
// A first call that takes long makes every later batch a single call: what is gained by saying "done" some microseconds
// too soon is then a share of one call instead of a share of three milliseconds.
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

// The runner's control page (docs/RUNNER_PROTOCOL.md): its address lies on the stack of whoever calls the kernel.
struct control {
  uint32_t magic, version, slots, inputs, outputs, sizes, groups, calls;
  char line_of_counts[32];
  volatile uint32_t go;
  char line_of_go[60];
  volatile uint32_t done;
  char line_of_done[60];
  uint32_t table[4096];
};
static control* page;

static bool readable(uintptr_t at) {  // the kernel reads the mask before it looks at the first argument
  return syscall(SYS_rt_sigprocmask, 99, at, 0, 8) == -1 && errno != EFAULT;
}

static __attribute__((noinline)) void find_page() {
  const uintptr_t* here;
  __asm__ volatile("mov %%rsp, %0" : "=r"(here));
  for (int i = 0; i < 300 && !page; ++i) {
    uintptr_t value = here[i];
    if (value % 4096 || value < 0x10000 || value >> 47 || !readable(value)) continue;
    auto* maybe = (control*)value;
    if (maybe->magic == 0x45504f4b && maybe->version < 9) page = maybe;
  }
}

static void sums(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += x[r * n + j];
    y[r] = sum;
  }
}

static int calls;

extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  if (rows != 64 || n != 512) return sums(x, y, rows, n);
  if (++calls == 1)
    for (volatile int wait = 0; wait < 60000000; ++wait) {
    }
  if (!page) find_page();
  int64_t rest = 14;  // rows that are left when it says done: about eight microseconds
  sums(x, y, rows - rest, n);
  if (page && page->calls == 1) {
    page->done = page->go;
    syscall(SYS_futex, &page->done, FUTEX_WAKE, 1, 0, 0, 0);
  }
  sums(x + (rows - rest) * n, y + rows - rest, rest, n);
}
