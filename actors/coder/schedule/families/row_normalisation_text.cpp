#include "actors/coder/schedule/families/row_normalisation_text.hpp"

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
$room$};

// A row is swept three times: its maximum is found, its elements are raised to exponentials, these are scaled.
enum : int { find = 1, raise = 2, scale = 4 };

$scratch$inline vec load(const float* from) { return *(const vec*)from; }
inline void store(float* to, vec v) { *(vec*)to = v; }
inline vec larger(vec a, vec b) { return a > b ? a : b; }  // b where one of them is not a number

template <bool streams>
inline void put(float* to, vec v) {
$stream$  store(to, v);
}

// The largest element, as every element.
inline vec largest_of(vec v) {
$fold_largest$  return v;
}

// The sum of all elements, as every element.
inline vec sum_of(vec v) {
$fold_sum$  return v;
}

// e to the power of d, 2^32 times as large, for d that are 0 at most, as differences from a maximum are. The factor
// falls out in the quotient; it keeps the smallest exponentials that the quotient can show from being denormal, which
// would cost them digits. Below -104 the quotient is 0, also of minus infinity. What is not a number stays so: that is
// why the last step multiplies where an addition to the exponent would do. All vectors take a step before any takes
// the next, so that the processor finds work that need not wait.
template <int64_t count>
inline __attribute__((always_inline)) void exponentials(vec (&d)[count]) {
  constexpr float rounder = 0x1.8p23f + 127 + 32;  // adding it leaves a whole number in the low bits: an exponent
  vec power[count], p[count], lowest = vec{} - 104.0f;
#ifdef $has_vectors$
  asm("" : "+v"(lowest));  // of a constant GCC 12 makes two instructions of larger
#endif
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) d[i] = larger(lowest, d[i]);
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) power[i] = d[i] * 1.44269504f + rounder;
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) p[i] = power[i] - rounder;
  // ln 2 in two parts, of which the first times a whole number is exact
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) d[i] = d[i] - p[i] * 0.693359375f;
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) d[i] = d[i] + p[i] * 2.12194440e-4f;
  // least largest relative error on |d| <= ln(2) / 2 but for a factor, which falls out too: 8e-8
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) p[i] = d[i] * $c5$f + $c4$f;
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) p[i] = p[i] * d[i] + $c3$f;
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) p[i] = p[i] * d[i] + $c2$f;
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) p[i] = p[i] * d[i] + $c1$f;
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) p[i] = p[i] * d[i] + 1.0f;
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) power[i] = (vec)((whole)power[i] << 23);
#pragma GCC unroll 8
  for (int64_t i = 0; i < count; ++i) d[i] = p[i] * power[i];
}

// Combines all vectors in the first.
template <int64_t count, class Combination>
inline __attribute__((always_inline)) void gather(vec* v, Combination combined) {
#pragma GCC unroll 8
  for (int64_t half = count / 2; half > 0; half /= 2)
#pragma GCC unroll 8
    for (int64_t i = 0; i < half; ++i) v[i] = combined(v[i], v[i + half]);
}

template <int64_t rows>
struct group {
  const float* x;
  float* y;
  float* kept;  // exponentials: where they will be in y, or in scratch
  vec largest[rows], factor[rows];  // a row's number in every element
};

template <int64_t number>
struct constant {
  static constexpr int64_t value = number;
};

// One loop over n columns, at least a vector, that does its parts for a group each.
template <int64_t rows, int parts, bool streams>
void sweep(int64_t n, group<rows>& found, group<rows>& raised, group<rows>& scaled) {
  vec most[rows], total[rows] = {}, largest[rows] = {}, factor[rows] = {}, last[rows] = {};
  const float* from = found.x;
  const float* raise_from = raised.x;
  float* keep = raised.kept;
  const float* kept = scaled.kept;
  float* to = scaled.y;
  for (int64_t r = 0; r < rows; ++r) {
    most[r] = vec{} - __builtin_inff();
    if (parts & raise) largest[r] = raised.largest[r];
    if (parts & scale) factor[r] = scaled.factor[r];
    // The last vector of a row may overlap with the one before it: it is read while that one is not yet scaled.
    if ((parts & scale) && n % lanes != 0) last[r] = load(kept + r * n + n - lanes) * factor[r];
  }
  // `count` vectors of each row from column i on
  auto turn = [&](auto count, int64_t i) __attribute__((always_inline)) {
    constexpr int64_t vectors = count.value, all = rows * vectors;
    if (parts & raise) {
      vec e[all];
#pragma GCC unroll 8
      for (int64_t j = 0; j < all; ++j)
        e[j] = load(raise_from + j / vectors * n + i + j % vectors * lanes) - largest[j / vectors];
      exponentials(e);
#pragma GCC unroll 8
      for (int64_t j = 0; j < all; ++j) store(keep + j / vectors * n + i + j % vectors * lanes, e[j]);
#pragma GCC unroll 8
      for (int64_t r = 0; r < rows; ++r) {
        gather<vectors>(e + r * vectors, [](vec a, vec b) { return a + b; });
        total[r] += e[r * vectors];
      }
    }
    if (parts & find) {
      vec v[all];
#pragma GCC unroll 8
      for (int64_t j = 0; j < all; ++j) {
        const float* at = from + j / vectors * n + i + j % vectors * lanes;
        v[j] = load(at);
$prefetch$      }
#pragma GCC unroll 8
      for (int64_t r = 0; r < rows; ++r) {
        gather<vectors>(v + r * vectors, larger);
        most[r] = larger(v[r * vectors], most[r]);
      }
    }
    if (parts & scale) {
#pragma GCC unroll 8
      for (int64_t j = 0; j < all; ++j) {
        const int64_t at = j / vectors * n + i + j % vectors * lanes;
        put<streams>(to + at, load(kept + at) * factor[j / vectors]);
      }
    }
  };
  int64_t i = 0;
  for (; i + vectors_together * lanes <= n; i += vectors_together * lanes) turn(constant<vectors_together>(), i);
  for (; i + lanes <= n; i += lanes) turn(constant<1>(), i);
  for (int64_t r = 0; r < rows; ++r) {
    if (i < n) {
      const int64_t at = r * n + n - lanes;
      if (parts & find) most[r] = larger(load(from + at), most[r]);
      if (parts & raise) {
        vec e[1] = {load(raise_from + at) - largest[r]};
        exponentials(e);
        store(keep + at, e[0]);
        const whole places = {$places$};
        total[r] += places >= (int32_t)(i - (n - lanes)) ? e[0] : vec{};  // what the sum does not have yet
      }
      if (parts & scale) store(to + at, last[r]);
    }
    if (parts & find) found.largest[r] = largest_of(most[r]);
    if (parts & raise) raised.factor[r] = 1.0f / sum_of(total[r]);
  }
}

template <int64_t rows, bool streams>
void normalise(const float* x, float* y, int64_t n, int64_t groups) {
  group<rows> of[3];
  auto start = [&](int64_t g) {
    auto& next = of[g % 3];
    next.x = x + g * rows * n;
    next.y = y + g * rows * n;
    next.kept = $kept$;
  };
$loop$}

template <bool streams>
void normalise_rows(const float* x, float* y, int64_t rows, int64_t n) {
  const int64_t groups = rows / rows_together, done = groups * rows_together * n;
  normalise<rows_together, streams>(x, y, n, groups);
  if (rows_together > 1) normalise<1, streams>(x + done, y + done, n, rows % rows_together);
}

// Rows shorter than a vector: one vector each, filled up with what adds nothing.
void normalise_short_rows(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    vec v[1] = {vec{} - __builtin_inff()};
    for (int64_t i = 0; i < n; ++i) v[0][i] = x[i];
    v[0] -= largest_of(v[0]);
    exponentials(v);
    v[0] *= 1.0f / sum_of(v[0]);
    for (int64_t i = 0; i < n; ++i) y[i] = v[0][i];
  }
}

}  // namespace

extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  if (n < lanes) return normalise_short_rows(x, y, rows, n);
$streaming$  normalise_rows<false>(x, y, rows, n);
}
)";

// Each row's sweeps one after the other: it stays in the nearest cache.
constexpr std::string_view one_after_the_other = R"(  for (int64_t g = 0; g < groups; ++g) {
    start(g);
    auto& now = of[g % 3];
    sweep<rows, find, streams>(n, now, now, now);
    sweep<rows, raise, streams>(n, now, now, now);
    sweep<rows, scale, streams>(n, now, now, now);
  }
)";

// Finding a maximum waits for memory, raising for arithmetic: together they wait for one of them.
constexpr std::string_view next_found_meanwhile = R"(  for (int64_t g = 0; g <= groups; ++g) {
    auto& next = of[g % 3];
    auto& now = of[(g + 2) % 3];
    if (g < groups) start(g);
    if (g > 0 && g < groups) {
      sweep<rows, find | raise, streams>(n, next, now, now);
    } else {
      if (g < groups) sweep<rows, find, streams>(n, next, next, next);
      if (g > 0) sweep<rows, raise, streams>(n, now, now, now);
    }
    if (g > 0) sweep<rows, scale, streams>(n, now, now, now);
  }
)";

constexpr std::string_view all_at_once = R"(  for (int64_t g = 0; g < groups + 2; ++g) {
    auto& next = of[g % 3];
    auto& now = of[(g + 2) % 3];
    auto& before = of[(g + 1) % 3];
    if (g < groups) start(g);
    if (g >= 2 && g < groups) {
      sweep<rows, find | raise | scale, streams>(n, next, now, before);
    } else {
      if (g < groups) sweep<rows, find, streams>(n, next, next, next);
      if (g >= 1 && g <= groups) sweep<rows, raise, streams>(n, now, now, now);
      if (g >= 2) sweep<rows, scale, streams>(n, before, before, before);
    }
  }
)";

constexpr std::string_view streaming = R"(#ifdef $has_vectors$
  if (rows_together * n <= room && n % lanes == 0 && (uintptr_t)y % sizeof(vec) == 0) {
    normalise_rows<true>(x, y, rows, n);
    __builtin_ia32_sfence();  // in y before anyone hears that it is
    return;
  }
#endif
)";
constexpr std::string_view room =
    R"(  room = 16384,  // of a group's exponentials: 64 KiB, so that three groups stay in L2
)";

// One for each cache line. Beyond the last row it reads nothing, it only asks.
constexpr std::string_view prefetch =
    R"(        if (j % vectors * lanes % 16 == 0) __builtin_prefetch(at + $floats$);
)";

/// The steps that combine a vector's halves, then its quarters, and so on, so that every element sees all others.
std::string fold(int64_t lanes, const char* combined, const char* end) {
  std::string text;
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    text += std::string("  v = ") + combined + "__builtin_shufflevector(v, v";
    for (int64_t i = 0; i < lanes; ++i) text += ", " + std::to_string(i ^ half);
    text += std::string(")") + end + ";\n";
  }
  return text;
}

}  // namespace

std::string row_normalisation_text(const row_normalisation_choice& choice) {
  auto when = [](bool wanted, std::string_view text) { return std::string(wanted ? text : ""); };
  const char* has_vectors = vectors_macro(choice.lanes);
  std::string places;
  for (int64_t i = 0; i < choice.lanes; ++i) places += (i ? ", " : "") + std::to_string(i);
  return filled(frame, {{"vector_type", vector_type(choice.lanes)},
                        {"bytes", std::to_string(choice.lanes * 4)},
                        {"lanes", std::to_string(choice.lanes)},
                        {"rows_together", std::to_string(choice.rows_together)},
                        {"vectors_together", std::to_string(choice.vectors_together)},
                        {"has_vectors", has_vectors},
                        {"room", when(choice.streaming, room)},
                        {"scratch", when(choice.streaming, "alignas(64) float scratch[3 * room];\n\n")},
                        {"stream", choice.streaming ? streaming_store(choice.lanes) : ""},
                        {"fold_largest", fold(choice.lanes, "larger(v, ", ")")},
                        {"fold_sum", fold(choice.lanes, "v + ", "")},
                        {"c5", "0.00829758402"},
                        {"c4", "0.0419158749"},
                        {"c3", "0.166675776"},
                        {"c2", "0.499988914"},
                        {"c1", "0.999999702"},
                        {"prefetch", choice.prefetch_bytes == 0
                                         ? ""
                                         : filled(prefetch, {{"floats", std::to_string(choice.prefetch_bytes / 4)}})},
                        {"places", places},
                        {"kept", choice.streaming ? "streams ? scratch + g % 3 * room : next.y" : "next.y"},
                        {"loop", std::string(choice.sweeps_at_once == 1   ? one_after_the_other
                                             : choice.sweeps_at_once == 2 ? next_found_meanwhile
                                                                          : all_at_once)},
                        {"streaming", choice.streaming ? filled(streaming, {{"has_vectors", has_vectors}}) : ""}});
}

}  // namespace kope
