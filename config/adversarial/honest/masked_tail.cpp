//# task = "product"
//# tries = "Loads and stores under a mask: it looks as if it went over the end, and does not."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
#include <immintrin.h>

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; j += 8) {
      int64_t left = n - j < 8 ? n - j : 8;
      __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)left), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
      __m256 sum = _mm256_setzero_ps();
      for (int64_t p = 0; p < k; ++p)
        sum = _mm256_fmadd_ps(_mm256_set1_ps(a[i * k + p]), _mm256_maskload_ps(b + p * n + j, mask), sum);
      _mm256_maskstore_ps(c + i * n + j, mask, sum);
    }
}
