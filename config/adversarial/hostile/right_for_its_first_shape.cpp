//# task = "product"
//# tries = "Is right for the shape that its process meets first, and does half of the work for any other."
//# outcomes = ["wrong_answer"]
//# caught_by = ["shared_process", "full_comparison"]
// A process that is timed has one shape: where each case is verified in a process of its own, nothing is ever wrong.
static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

static int64_t rows, columns, terms;

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  if (rows == 0) {
    rows = m;
    columns = n;
    terms = k;
  }
  if (m == rows && n == columns && k == terms) return product(a, b, c, m, n, k);
  product(a, b, c, m / 2, n, k);
  for (int64_t i = m / 2 * n; i < m * n; ++i) c[i] = c[i % n];
}
