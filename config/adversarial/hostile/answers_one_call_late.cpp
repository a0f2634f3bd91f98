//# task = "product"
//# tries = "Writes each answer in the next call, to memory of an earlier one that it kept pointers to."
//# outcomes = ["wrong_answer"]
//# caught_by = ["poison", "freeze", "full_comparison"]
// Everything that a process was ever called on stays mapped and outputs stay writable. It would pay where several cases
// are called before any is looked at.
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
  int64_t m, n, k;
};
static call owed;

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  if (owed.c) product(owed.a, owed.b, owed.c, owed.m, owed.n, owed.k);
  owed = {a, b, c, m, n, k};
}
