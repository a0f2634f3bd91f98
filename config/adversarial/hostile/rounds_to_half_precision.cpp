//# task = "product"
//# tries = "Rounds the inputs to eleven bits, as half precision does."
//# outcomes = ["wrong_answer"]
//# caught_by = ["tolerance"]
static inline float rounded(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, 4);
  bits = (bits + 0x1000) & 0xffffe000;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += rounded(a[i * k + p]) * rounded(b[p * n + j]);
  }
}
