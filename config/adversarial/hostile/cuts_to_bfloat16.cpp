//# task = "product"
//# tries = "Cuts the inputs to the upper half of their bits."
//# outcomes = ["wrong_answer"]
//# caught_by = ["tolerance"]
static inline float cut(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, 4);
  bits &= 0xffff0000;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += cut(a[i * k + p]) * cut(b[p * n + j]);
  }
}
