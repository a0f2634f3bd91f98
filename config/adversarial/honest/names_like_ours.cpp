//# task = "product"
//# tries = "Uses inputs, outputs and sizes as names of its own variables."
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
  const float* inputs[2] = {a, b};
  float* outputs[1] = {c};
  int64_t sizes[3] = {m, n, k};
  product(inputs[0], inputs[1], outputs[0], sizes[0], sizes[1], sizes[2]);
}
