//# task = "product"
//# tries = "Overwrites the code of clock_gettime in its process."
//# outcomes = ["correct_not_faster", "undecided", "crashed", "sandbox_violation"]
//# caught_by = ["parent_clock", "seccomp"]
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

static bool patched;

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  if (!patched) {
    auto code = (unsigned char*)(void*)clock_gettime;
    auto at = (void*)((uintptr_t)code & ~(uintptr_t)4095);
    if (mprotect(at, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) memcpy(code, "\x31\xc0\xc3", 3);  // return 0
    patched = true;
  }
  product(a, b, c, m, n, k);
}
