//# task = "clip"
//# tries = "Stores past the caches."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
#include <immintrin.h>

extern "C" void kernel(const float* x, float* y, int64_t n) {
  int64_t i = 0;
  for (; i < n && (uintptr_t)(y + i) % 32; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  for (; i + 8 <= n; i += 8) {
    __m256 value = _mm256_loadu_ps(x + i);
    __m256 above = _mm256_cmp_ps(value, _mm256_setzero_ps(), _CMP_GT_OQ);
    _mm256_stream_ps(y + i, _mm256_and_ps(value, above));
  }
  for (; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  _mm_sfence();
}
