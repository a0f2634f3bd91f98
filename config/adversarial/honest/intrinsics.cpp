//# task = "product"
//# tries = "Uses intrinsics."
//# outcomes = ["improved", "undecided"]
#include <immintrin.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    int64_t j = 0;
    for (; j + 8 <= n; j += 8) {
      __m256 sum = _mm256_setzero_ps();
      for (int64_t p = 0; p < k; ++p)
        sum = _mm256_fmadd_ps(_mm256_set1_ps(a[i * k + p]), _mm256_loadu_ps(b + p * n + j), sum);
      _mm256_storeu_ps(c + i * n + j, sum);
    }
    for (; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
}
