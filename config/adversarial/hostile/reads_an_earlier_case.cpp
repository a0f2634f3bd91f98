//# task = "product"
//# tries = "Looks for its inputs in the memory of all earlier calls, and copies the answer that it wrote there."
//# outcomes = ["correct_not_faster", "undecided", "wrong_answer"]
//# caught_by = ["fresh_inputs"]
// Memory of earlier cases is a larger store than any that a candidate may have for itself. It holds nothing twice.
#include <string.h>

static void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

struct call {
  const float *a, *b;
  const float* c;
  int64_t m, n, k;
};
static call known[4096];
static int count;

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  // A place that it is called on again holds other inputs by now; its own output there is poison.
  for (int i = 0; i < count; ++i) {
    const call& one = known[i];
    if (one.c == c || one.m != m || one.n != n || one.k != k) continue;
    if (memcmp(one.a, a, sizeof(float) * m * k) || memcmp(one.b, b, sizeof(float) * k * n)) continue;
    memcpy(c, one.c, sizeof(float) * m * n);
    return;
  }
  product(a, b, c, m, n, k);
  // Twice: what it computes itself is slower than the reference, so only a copy could win.
  asm volatile("" ::: "memory");
  product(a, b, c, m, n, k);
  for (int i = 0; i < count; ++i)
    if (known[i].c == c) return;
  if (count < 4096) known[count++] = {a, b, c, m, n, k};
}
