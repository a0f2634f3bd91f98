//# task = "product"
//# tries = "Works in blocks that fit a cache."
//# outcomes = ["improved", "undecided"]
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  constexpr int64_t edge = 32;
  for (int64_t i = 0; i < m * n; ++i) c[i] = 0;
  for (int64_t p0 = 0; p0 < k; p0 += edge)
    for (int64_t j0 = 0; j0 < n; j0 += edge)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t p = p0; p < p0 + edge && p < k; ++p) {
          int64_t end = j0 + edge < n ? j0 + edge : n;
          for (int64_t j = j0; j < end; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
        }
}
