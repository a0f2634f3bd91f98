//# task = "product"
//# tries = "Is made of lambdas that call each other."
//# outcomes = ["improved", "undecided"]
static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  auto row = [=](int64_t i) { product(a + i * k, b, c + i * n, 1, n, k); };
  auto rows = [&](auto&& self, int64_t from, int64_t to) -> void {
    if (to - from == 1) return row(from);
    self(self, from, (from + to) / 2);
    self(self, (from + to) / 2, to);
  };
  rows(rows, 0, m);
}
