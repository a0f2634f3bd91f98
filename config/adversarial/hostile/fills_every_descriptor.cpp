//# task = "product"
//# tries = "Opens descriptors until there are no more and closes those that it was started with."
//# outcomes = ["correct_not_faster", "undecided", "crashed", "sandbox_violation"]
//# caught_by = ["rlimit"]
#include <unistd.h>

static void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

static bool done;

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  if (!done) {
    for (int descriptor = 0; descriptor < 3; ++descriptor) close(descriptor);
    int ends[2];
    for (int i = 0; i < 1000; ++i)
      if (pipe(ends)) break;
    done = true;
  }
  product(a, b, c, m, n, k);
}
