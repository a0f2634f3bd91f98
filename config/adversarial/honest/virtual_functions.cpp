//# task = "product"
//# tries = "Calls a virtual function for each row."
//# outcomes = ["improved", "undecided"]
static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

struct shape {
  virtual ~shape() = default;
  virtual void row(const float* a, const float* b, float* c, int64_t n, int64_t k) const = 0;
};
struct plain final : shape {
  void row(const float* a, const float* b, float* c, int64_t n, int64_t k) const override { product(a, b, c, 1, n, k); }
};

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  plain one;
  const shape* chosen = &one;
  for (int64_t i = 0; i < m; ++i) chosen->row(a + i * k, b, c + i * n, n, k);
}
