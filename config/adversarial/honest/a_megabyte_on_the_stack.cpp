//# task = "product"
//# tries = "Keeps scratch of a megabyte on the stack."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  if (k * n > 200000) return product(a, b, c, m, n, k);
  float turned[250000];  // b with its axes exchanged
  for (int64_t p = 0; p < k; ++p)
    for (int64_t j = 0; j < n; ++j) turned[j * k + p] = b[p * n + j];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float part[8] = {};
      int64_t p = 0;
      for (; p + 8 <= k; p += 8)
        for (int lane = 0; lane < 8; ++lane) part[lane] += a[i * k + p + lane] * turned[j * k + p + lane];
      float sum = 0;
      for (; p < k; ++p) sum += a[i * k + p] * turned[j * k + p];
      for (float each : part) sum += each;
      c[i * n + j] = sum;
    }
}
