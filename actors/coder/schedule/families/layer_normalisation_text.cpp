#include "actors/coder/schedule/families/layer_normalisation_text.hpp"

#include <string_view>

#include "actors/coder/schedule/kernel_text.hpp"

namespace kope {
namespace {

constexpr std::string_view frame = R"(#include <stdint.h>

$vector_type$typedef int32_t whole __attribute__((vector_size($bytes$)));
namespace {

enum : int64_t {
  lanes = $lanes$,  // floats in a vector
  rows_together = $rows_together$,  // rows that are swept side by side
  vectors_together = $vectors_together$,  // vectors of a row in one turn of a sweep
};

inline vec load(const float* from) { return *(const vec*)from; }
inline void store(float* to, vec v) { *(vec*)to = v; }

template <bool streams>
inline void put(float* to, vec v) {
$stream$  store(to, v);
}

// The sum of all elements, as every element.
inline vec sum_of(vec v) {
$fold_sum$  return v;
}

// 1 / sqrt(variance + epsilon), as every element.
inline vec factor_of(vec sum_of_squares, int64_t n) {
  return 1.0f / __builtin_sqrtf(sum_of_squares[0] / (float)n + $epsilon$f) - vec{};
}

// The last vector's elements that are not in the vectors before it, zeros for the others.
inline vec rest_of(vec v, int64_t n) {
  const whole places = {$places$};
  return places >= (int32_t)(lanes - n % lanes) ? v : vec{};
}

// Calls turn(vectors, i) for groups of vectors from column i on, as many together as there are.
template <int64_t number>
struct constant {
  static constexpr int64_t value = number;
};
template <class Turn>
inline __attribute__((always_inline)) void sweep(int64_t n, Turn turn) {
  int64_t i = 0;
  for (; i + vectors_together * lanes <= n; i += vectors_together * lanes) turn(constant<vectors_together>(), i);
  if (vectors_together > 1)
    for (; i + lanes <= n; i += lanes) turn(constant<1>(), i);
}

// `rows` rows of n columns, at least a vector.
template <int64_t rows, bool streams>
void normalise(const float* x, const float* weight, const float* bias, float* y, int64_t n) {
  vec mean[rows], factor[rows];
  {
$moments$  }
  sweep(n, [&](auto count, int64_t i) __attribute__((always_inline)) {
#pragma GCC unroll 8
    for (int64_t j = 0; j < count.value; ++j) {
      const int64_t at = i + j * lanes;
      const vec w = load(weight + at), b = load(bias + at);
#pragma GCC unroll 8
      for (int64_t r = 0; r < rows; ++r)
        put<streams>(y + r * n + at, (load(x + r * n + at) - mean[r]) * (factor[r] * w) + b);
    }
  });
  if (n % lanes != 0) {
    const int64_t at = n - lanes;
    const vec w = load(weight + at), b = load(bias + at);
    for (int64_t r = 0; r < rows; ++r)
      store(y + r * n + at, (load(x + r * n + at) - mean[r]) * (factor[r] * w) + b);
  }
}

template <bool streams>
void normalise_rows(const float* x, const float* weight, const float* bias, float* y, int64_t rows, int64_t n) {
  int64_t r = 0;
  for (; r + rows_together <= rows; r += rows_together)
    normalise<rows_together, streams>(x + r * n, weight, bias, y + r * n, n);
  if (rows_together > 1)
    for (; r < rows; ++r) normalise<1, streams>(x + r * n, weight, bias, y + r * n, n);
}

// Rows shorter than a vector: one vector each, whose elements beyond the row are the next row's and are written again
// with it; the last rows, which have nothing behind them, by elements.
void normalise_short_rows(const float* x, const float* weight, const float* bias, float* y, int64_t rows, int64_t n) {
  vec w = {}, b = {};
  for (int64_t i = 0; i < n; ++i) {
    w[i] = weight[i];
    b[i] = bias[i];
  }
  const whole places = {$places$}, inside = places < (int32_t)n;
  const float share = 1.0f / (float)n;
  const int64_t all = rows * n;
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    const bool room = r * n + lanes <= all;
    vec v = {};
    if (room)
      v = load(x);
    else
      for (int64_t i = 0; i < n; ++i) v[i] = x[i];
    const vec d = inside ? v - sum_of(inside ? v : vec{}) * share : vec{};
    const vec result = d * factor_of(sum_of(d * d), n) * w + b;
    if (room)
      store(y, result);
    else
      for (int64_t i = 0; i < n; ++i) y[i] = result[i];
  }
}

}  // namespace

extern "C" void kernel(const float* x, const float* weight, const float* bias, float* y, int64_t rows, int64_t n) {
  if (n < lanes) return normalise_short_rows(x, weight, bias, y, rows, n);
$streaming$  normalise_rows<false>(x, weight, bias, y, rows, n);
}
)";

// The mean first, then squares of what is around it.
constexpr std::string_view two_passes = R"(    vec sum[rows][vectors_together] = {};
    sweep(n, [&](auto count, int64_t i) __attribute__((always_inline)) {
#pragma GCC unroll 8
      for (int64_t r = 0; r < rows; ++r)
#pragma GCC unroll 8
        for (int64_t j = 0; j < count.value; ++j) {
          const float* at = x + r * n + i + j * lanes;
          sum[r][j] += load(at);
$prefetch$        }
    });
    for (int64_t r = 0; r < rows; ++r) {
      if (n % lanes != 0) sum[r][0] += rest_of(load(x + r * n + n - lanes), n);
      for (int64_t j = 1; j < vectors_together; ++j) sum[r][0] += sum[r][j];
      mean[r] = sum_of(sum[r][0]) / ((float)n - vec{});
    }
    vec squares[rows][vectors_together] = {};
    sweep(n, [&](auto count, int64_t i) __attribute__((always_inline)) {
#pragma GCC unroll 8
      for (int64_t r = 0; r < rows; ++r)
#pragma GCC unroll 8
        for (int64_t j = 0; j < count.value; ++j) {
          const vec d = load(x + r * n + i + j * lanes) - mean[r];
          squares[r][j] += d * d;
        }
    });
    for (int64_t r = 0; r < rows; ++r) {
      if (n % lanes != 0) {
        const vec d = rest_of(load(x + r * n + n - lanes) - mean[r], n);
        squares[r][0] += d * d;
      }
      for (int64_t j = 1; j < vectors_together; ++j) squares[r][0] += squares[r][j];
      factor[r] = factor_of(sum_of(squares[r][0]), n);
    }
)";

// Sums of differences from the mean of the row's first vector, and of their squares: near enough to the row's own mean
// that little is lost when the one is taken from the other.
constexpr std::string_view one_pass =
    R"(    vec start[rows], sum[rows][vectors_together] = {}, squares[rows][vectors_together] = {};
    for (int64_t r = 0; r < rows; ++r) start[r] = sum_of(load(x + r * n)) * (1.0f / (float)lanes);
    sweep(n, [&](auto count, int64_t i) __attribute__((always_inline)) {
#pragma GCC unroll 8
      for (int64_t r = 0; r < rows; ++r)
#pragma GCC unroll 8
        for (int64_t j = 0; j < count.value; ++j) {
          const float* at = x + r * n + i + j * lanes;
          const vec d = load(at) - start[r];
          sum[r][j] += d;
          squares[r][j] += d * d;
$prefetch$        }
    });
    for (int64_t r = 0; r < rows; ++r) {
      if (n % lanes != 0) {
        const vec d = rest_of(load(x + r * n + n - lanes) - start[r], n);
        sum[r][0] += d;
        squares[r][0] += d * d;
      }
      for (int64_t j = 1; j < vectors_together; ++j) {
        sum[r][0] += sum[r][j];
        squares[r][0] += squares[r][j];
      }
      const vec all = sum_of(sum[r][0]), shift = all / ((float)n - vec{});
      mean[r] = start[r] + shift;
      const vec around = sum_of(squares[r][0]) - all * shift;
      factor[r] = factor_of(around < 0.0f ? vec{} : around, n);
    }
)";

// Beyond the last row it reads nothing, it only asks.
constexpr std::string_view prefetch = "          __builtin_prefetch(at + $floats$);\n";

constexpr std::string_view streaming = R"(#ifdef $has_vectors$
  if (n % lanes == 0 && (uintptr_t)y % sizeof(vec) == 0) {
    normalise_rows<true>(x, weight, bias, y, rows, n);
    __builtin_ia32_sfence();  // in y before anyone hears that it is
    return;
  }
#endif
)";

}  // namespace

std::string layer_normalisation_text(const layer_normalisation_choice& choice) {
  const char* has_vectors = vectors_macro(choice.lanes);
  const std::string fetches =
      choice.prefetch_bytes == 0 ? "" : filled(prefetch, {{"floats", std::to_string(choice.prefetch_bytes / 4)}});
  std::string fold, places;
  for (int64_t half = choice.lanes / 2; half >= 1; half /= 2) {
    fold += "  v = v + __builtin_shufflevector(v, v";
    for (int64_t i = 0; i < choice.lanes; ++i) fold += ", " + std::to_string(i ^ half);
    fold += ");\n";
  }
  for (int64_t i = 0; i < choice.lanes; ++i) places += (i ? ", " : "") + std::to_string(i);
  return filled(frame, {{"vector_type", vector_type(choice.lanes)},
                        {"bytes", std::to_string(choice.lanes * 4)},
                        {"lanes", std::to_string(choice.lanes)},
                        {"rows_together", std::to_string(choice.rows_together)},
                        {"vectors_together", std::to_string(choice.vectors_together)},
                        {"epsilon", choice.epsilon},
                        {"fold_sum", fold},
                        {"places", places},
                        {"moments", filled(choice.one_pass ? one_pass : two_passes, {{"prefetch", fetches}})},
                        {"stream", choice.streaming ? streaming_store(choice.lanes) : ""},
                        {"streaming", choice.streaming ? filled(streaming, {{"has_vectors", has_vectors}}) : ""}});
}

}  // namespace kope
