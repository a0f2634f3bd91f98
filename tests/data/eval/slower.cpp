// Right, and at least twice the reference's work: every element is computed three times.
extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int again = 0; again < 3; ++again) {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
        c[i * n + j] = sum;
      }
    asm volatile("" ::: "memory");
  }
}
