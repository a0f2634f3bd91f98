#include "toolchains/limit_kernels.hpp"

namespace kope {
namespace {

// Twelve chains of multiply-adds: one takes 4 to 5 cycles and two start in each, so ten chains keep both units busy;
// with two constants they fit 16 registers. Mixed: seven and seven, for the same reason. Values stay near one or grow
// slowly: no denormals. The whole numbers take turns of two operations that no compiler folds over steps.
// Exponentials: as the family of row normalisations writes them, without the clamp (2^n by a shift into the exponent,
// a polynomial for the rest); what comes out goes in again, which costs one operation more.
// Reading: eight accumulators of exclusive or, which waits one cycle.
constexpr std::string_view source = R"(#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64, together = 8;
#elif defined(__AVX__)
constexpr int vector_bytes = 32, together = 4;
#else
constexpr int vector_bytes = 16, together = 4;
#endif
typedef float f32 __attribute__((vector_size(vector_bytes)));
typedef double f64 __attribute__((vector_size(vector_bytes)));
typedef int32_t i32 __attribute__((vector_size(vector_bytes)));
typedef int64_t i64 __attribute__((vector_size(vector_bytes)));

#define SEVEN(do) do(0) do(1) do(2) do(3) do(4) do(5) do(6)
#define TWELVE(do) SEVEN(do) do(7) do(8) do(9) do(10) do(11)
#define STORE(i) memcpy(out + 64 + i * vector_bytes, &chain##i, vector_bytes);

template <class vec>
void multiply_adds(int64_t steps, char* out) {
  const vec factor = vec{} + 0.999f, term = vec{} + 0.001f;
#define START(i) vec chain##i = vec{} + (1 + 0.01f * i);
#define STEP(i) chain##i = chain##i * factor + term;
  TWELVE(START)
  for (int64_t step = 0; step < steps; ++step) { TWELVE(STEP) }
  TWELVE(STORE)
#undef STEP
}

template <class vec>
void mixed(int64_t steps, char* out) {
  const vec factor = vec{} + 0.999f, term = vec{} + 0.001f;
#define BESIDE(i) vec beside##i = vec{} + (1 + 0.01f * i);
#define STEP(i) chain##i = chain##i * factor + term; beside##i = beside##i + term;
#define BOTH(i) chain##i += beside##i;
  SEVEN(START)
  SEVEN(BESIDE)
  for (int64_t step = 0; step < steps; ++step) { SEVEN(STEP) }
  SEVEN(BOTH)
  SEVEN(STORE)
#undef STEP
#undef START
}

template <class vec>
void adds(int64_t steps, char* out) {
  const vec mask = vec{} + 0x55aa, term = vec{} + 12345;
#define START(i) vec chain##i = vec{} + i;
#define STEP(i) chain##i = (chain##i ^ mask) + term;
  TWELVE(START)
  for (int64_t step = 0; step < steps; ++step) { TWELVE(STEP) }
  TWELVE(STORE)
}

template <class vec, class whole, class number, int degree>
void exponentials(int64_t steps, char* out, number rounder, int shift) {
  vec d[together], t[together], p[together];
  number coefficient[degree + 1];
  number factorial = 1;
  for (int k = 0; k <= degree; ++k) {
    factorial *= k > 0 ? k : 1;
    coefficient[k] = 1 / factorial;
  }
  for (int i = 0; i < together; ++i) d[i] = vec{} - (number)(0.5 + 0.01 * i);
  for (int64_t step = 0; step < steps; ++step) {
#define EACH _Pragma("GCC unroll 8") for (int i = 0; i < together; ++i)
    EACH t[i] = d[i] * (number)1.4426950408889634 + rounder;
    EACH p[i] = t[i] - rounder;
    EACH d[i] = d[i] - p[i] * (number)0.6931471805599453;
    EACH p[i] = d[i] * coefficient[degree] + coefficient[degree - 1];
#pragma GCC unroll 16
    for (int k = degree - 2; k >= 0; --k) EACH p[i] = p[i] * d[i] + coefficient[k];
    EACH t[i] = (vec)((whole)t[i] << shift);
    EACH d[i] = p[i] * t[i];
    EACH d[i] = d[i] - (number)1.5;
  }
  for (int i = 0; i < together; ++i) memcpy(out + 64 + i * vector_bytes, &d[i], vector_bytes);
}

void read(const char* in, int64_t bytes, int64_t passes, char* out) {
  i64 sum[8] = {};
  for (int64_t pass = 0; pass < passes; ++pass) {
    const i64* from = (const i64*)in;
    for (int64_t n = bytes / vector_bytes; n > 0; n -= 8, from += 8)
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) sum[i] ^= from[i];
    asm volatile("" : : "r"(in) : "memory");
  }
  for (int i = 0; i < 8; ++i) memcpy(out + 64 + i * vector_bytes, &sum[i], vector_bytes);
}

void put_past_caches(i64* to, i64 v) {
#if defined(__AVX512F__)
  _mm512_stream_si512((__m512i*)to, (__m512i)v);
#elif defined(__AVX__)
  _mm256_stream_si256((__m256i*)to, (__m256i)v);
#elif defined(__x86_64__)
  _mm_stream_si128((__m128i*)to, (__m128i)v);
#else
  *to = v;
#endif
}

template <bool streaming>
void copy(const char* in, int64_t bytes, int64_t passes, char* out) {
  for (int64_t pass = 0; pass < passes; ++pass) {
    const i64* from = (const i64*)in;
    i64* to = (i64*)out;
    for (int64_t n = bytes / vector_bytes; n > 0; n -= 8, from += 8, to += 8)
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        i64 v = from[i] + pass;
        if (streaming) put_past_caches(to + i, v);
        else to[i] = v;
      }
    asm volatile("" : : "r"(out) : "memory");
  }
}

}  // namespace

extern "C" __attribute__((visibility("default")))
void kope_entry(const void* const* inputs, void* const* outputs, const int64_t* sizes) {
  const char* in = (const char*)inputs[0];
  char* out = (char*)outputs[0];
  const int64_t steps = sizes[1], bytes = sizes[2];
  switch (sizes[0]) {
    case 0: multiply_adds<f32>(steps, out); break;
    case 1: multiply_adds<f64>(steps, out); break;
    case 2: mixed<f32>(steps, out); break;
    case 3: mixed<f64>(steps, out); break;
    case 4: adds<i32>(steps, out); break;
    case 5: adds<i64>(steps, out); break;
    case 6: exponentials<f32, i32, float, 5>(steps, out, 0x1.8p23f + 127, 23); break;
    case 7: exponentials<f64, i64, double, 11>(steps, out, 0x1.8p52 + 1023, 52); break;
    case 8: read(in, bytes, steps, out); break;
    case 9: copy<false>(in, bytes, steps, out); return;
    case 10: copy<true>(in, bytes, steps, out); return;
  }
  const int64_t width = vector_bytes, at_once = together;
  memcpy(out, &width, 8);
  memcpy(out + 8, &at_once, 8);
}
)";

}  // namespace

std::string_view limit_kernels_source() { return source; }

limit_kernel_work work_of(limit_kernel which) {
  switch (which) {
    case limit_kernel::f32_multiply_adds:
      return {12 * 2, 4};
    case limit_kernel::f64_multiply_adds:
      return {12 * 2, 8};
    case limit_kernel::f32_mixed:
      return {7 * 3, 4};
    case limit_kernel::f64_mixed:
      return {7 * 3, 8};
    case limit_kernel::i32_adds:
      return {12 * 2, 4};
    case limit_kernel::i64_adds:
      return {12 * 2, 8};
    case limit_kernel::f32_exponentials:
      return {0, 4};
    case limit_kernel::f64_exponentials:
      return {0, 8};
    case limit_kernel::read:
    case limit_kernel::copy:
    case limit_kernel::streaming_copy:
      break;
  }
  return {0, 1};
}

}  // namespace kope
