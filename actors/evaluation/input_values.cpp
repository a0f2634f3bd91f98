#include "actors/evaluation/input_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "messages/result.hpp"

// The target compiles this file with -ffp-contract=off: a fused multiply-add would make other values on machines that
// have one.

namespace kope {

namespace {

constexpr uint64_t golden = 0x9e3779b97f4a7c15;

/// SplitMix64's finaliser (Steele, Lea, Flood 2014): every bit of the counter reaches every bit of the word.
inline uint64_t scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

inline uint64_t word(uint64_t key, uint64_t index) { return scramble(key + (index + 1) * golden); }
inline uint32_t half_word(uint64_t key, uint64_t index) {
  return static_cast<uint32_t>(word(key, index >> 1) >> ((index & 1) * 32));
}

/// Where a loop is compiled for wide vectors as well: inputs of tens of megabytes are refilled between timed batches.
#if defined(__x86_64__)
#define KOPE_WIDE_VECTORS __attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512"), flatten))
bool has_wide_vectors() { return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"); }
#else
#define KOPE_WIDE_VECTORS
bool has_wide_vectors() { return false; }
#endif

struct uniform_floats {
  float low, span, high, below_high;
};

/// 2 * words elements from word `first_word` on: the low half of a word, then its high half. In two simple loops over a
/// block that stays in the first-level cache, which compilers make vectors of.
inline __attribute__((always_inline)) void draw_words(float* out, uint64_t key, uint64_t first_word, size_t words,
                                                      const uniform_floats& of) {
  constexpr size_t block = 512;
  uint64_t bits[block];
  for (size_t at = 0; at < words; at += block) {
    size_t n = std::min(block, words - at);
    for (size_t i = 0; i < n; ++i) bits[i] = word(key, first_word + at + i);
    uint32_t halves[2 * block];
    for (size_t i = 0; i < n; ++i) {
      halves[2 * i] = static_cast<uint32_t>(bits[i]);
      halves[2 * i + 1] = static_cast<uint32_t>(bits[i] >> 32);
    }
    for (size_t i = 0; i < 2 * n; ++i) {
      float drawn = of.low + of.span * (static_cast<float>(static_cast<int32_t>(halves[i] >> 8)) * 0x1p-24f);
      out[2 * at + i] = drawn < of.high ? drawn : of.below_high;
    }
  }
}

KOPE_WIDE_VECTORS void draw_words_wide(float* out, uint64_t key, uint64_t first_word, size_t words,
                                       const uniform_floats& of) {
  draw_words(out, key, first_word, words, of);
}
void draw_words_plain(float* out, uint64_t key, uint64_t first_word, size_t words, const uniform_floats& of) {
  draw_words(out, key, first_word, words, of);
}

/// 2^x by its series on [-0.5, 0.5], for -1000 < x < 1000: libm's last bit differs between versions.
inline double power_of_two(double x) {
  // ln(2)^n / n!, rounded once each
  static constexpr std::array<double, 14> terms = [] {
    std::array<double, 14> made{};
    double term = 1;
    for (int n = 0; n < 14; ++n) {
      made[static_cast<size_t>(n)] = term;
      term = term * 0.693147180559945309417 / (n + 1);
    }
    return made;
  }();
  auto whole = static_cast<int64_t>(x + 1024.5) - 1024;  // rounds down, for the sum is positive
  double t = x - static_cast<double>(whole), sum = 0;
  for (size_t n = terms.size(); n-- > 0;) sum = sum * t + terms[n];
  return sum * std::bit_cast<double>(static_cast<uint64_t>(whole + 1023) << 52);
}

double binary_logarithm(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // [0.5, 1)
  double z = (mantissa - 1) / (mantissa + 1), square = z * z, power = z, sum = 0;
  for (int n = 1; n <= 61; n += 2) {
    sum += power / n;
    power *= square;
  }
  return exponent + 2 * sum * 1.44269504088896340736;
}

template <class T>
struct drawer {
  const fill_spec& spec;
  uint64_t key;
  uint64_t count;
  T low, high;
  T span = 0, below_high = 0;  // floating types only
  double low_logarithm = 0, logarithm_span = 0;
  uint64_t whole_numbers = 1;

  drawer(const fill_spec& s, uint64_t k, uint64_t n) : spec(s), key(k), count(n) {
    low = static_cast<T>(s.low);
    high = static_cast<T>(s.high);
    if constexpr (std::is_floating_point_v<T>) {
      span = high - low;
      below_high = high > low ? std::nextafter(high, low) : low;
    }
    if (s.kind == wire::FillKind::LOG_UNIFORM) {
      low_logarithm = binary_logarithm(s.low);
      logarithm_span = binary_logarithm(s.high) - low_logarithm;
    }
    double width = std::floor(s.high) - std::ceil(s.low) + 1;
    whole_numbers = width >= 1 ? static_cast<uint64_t>(std::min(width, 4294967295.0)) : 1;
  }

  T uniform(uint64_t i) const {
    if constexpr (std::is_same_v<T, float>) {
      T value = low + span * (static_cast<float>(static_cast<int32_t>(half_word(key, i) >> 8)) * 0x1p-24f);
      return value < high ? value : below_high;
    } else if constexpr (std::is_same_v<T, double>) {
      T value = low + span * (static_cast<double>(static_cast<int64_t>(word(key, i) >> 11)) * 0x1p-53);
      return value < high ? value : below_high;
    } else {
      uint64_t width = high > low ? static_cast<uint64_t>(high) - static_cast<uint64_t>(low) : 1;
      auto product = static_cast<unsigned __int128>(word(key, i)) * width;
      return static_cast<T>(static_cast<uint64_t>(low) + static_cast<uint64_t>(product >> 64));
    }
  }

  /// As uniform(), but f32 uses both halves of each word: 16 MiB sets are refilled between timed batches.
  void draw_uniform(T* out, uint64_t first, size_t n) const {
    size_t done = 0;
    if constexpr (std::is_same_v<T, float>) {
      if (first % 2 == 0) {
        static const bool wide = has_wide_vectors();
        (wide ? draw_words_wide : draw_words_plain)(out, key, first / 2, n / 2, {low, span, high, below_high});
        done = n / 2 * 2;
      }
    }
    for (; done < n; ++done) out[done] = uniform(first + done);
  }

  T log_uniform(uint64_t i) const {
    uint64_t bits = word(key, i);
    double magnitude = power_of_two(low_logarithm + logarithm_span * (static_cast<double>(bits >> 11) * 0x1p-53));
    return static_cast<T>(bits & 1 ? -magnitude : magnitude);
  }

  T cancelling(uint64_t i) const {
    uint64_t half = count / 2;
    if (i < half) return uniform(i);
    if (i < 2 * half) return static_cast<T>(-uniform(i - half));
    return T{0};  // the odd one out
  }

  T ramp(uint64_t i) const {
    double share = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    return static_cast<T>(spec.low + (spec.high - spec.low) * share);
  }

  T integers(uint64_t i) const {
    auto offset = static_cast<uint64_t>(half_word(key, i)) * whole_numbers >> 32;
    return static_cast<T>(std::ceil(spec.low) + static_cast<double>(offset));
  }

  T special(uint64_t i) const {
    if constexpr (std::is_floating_point_v<T>) {
      uint64_t choice = word(~key, i);
      if ((choice & 63) == 0) {
        using limits = std::numeric_limits<T>;
        const std::array<T, 5> odd = {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), T{-0.0},
                                      limits::min() / 4};
        return odd[(choice >> 6) % odd.size()];
      }
    }
    return uniform(i);
  }

  template <class F>
  static void each(T* out, uint64_t first, size_t n, F&& value) {
    for (size_t i = 0; i < n; ++i) out[i] = value(first + i);
  }

  /// Elements first … first + n of the tensor. One loop a kind, so that none tests the kind an element.
  void draw(T* out, uint64_t first, size_t n) const {
    switch (spec.kind) {
      case wire::FillKind::UNIFORM:
        return draw_uniform(out, first, n);
      case wire::FillKind::LOG_UNIFORM:
        return each(out, first, n, [this](uint64_t i) { return log_uniform(i); });
      case wire::FillKind::CANCELLING:
        return each(out, first, n, [this](uint64_t i) { return cancelling(i); });
      case wire::FillKind::CONSTANT:
        return each(out, first, n, [this](uint64_t) { return low; });
      case wire::FillKind::RAMP:
        return each(out, first, n, [this](uint64_t i) { return ramp(i); });
      case wire::FillKind::INTEGERS:
        return each(out, first, n, [this](uint64_t i) { return integers(i); });
      case wire::FillKind::SPECIAL:
        return each(out, first, n, [this](uint64_t i) { return special(i); });
    }
  }
};

template <class F>
void with_type(wire::ElementType type, F&& use) {
  switch (type) {
    case wire::ElementType::F32:
      return use(float{});
    case wire::ElementType::F64:
      return use(double{});
    case wire::ElementType::I32:
      return use(int32_t{});
    case wire::ElementType::I64:
      return use(int64_t{});
  }
}

}  // namespace

uint64_t mix(uint64_t key, uint64_t more) { return scramble(scramble(key + golden) ^ (more * golden + 1)); }

void fill_values(std::span<std::byte> out, wire::ElementType type, const fill_spec& spec, uint64_t key) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    size_t n = out.size() / sizeof(T);
    drawer<T>(spec, key, n).draw(reinterpret_cast<T*>(out.data()), 0, n);
  });
}

void move_to_neighbours(std::span<std::byte> values, wire::ElementType type, uint64_t key) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      using bits_type = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
      auto* value = reinterpret_cast<T*>(values.data());
      for (size_t i = 0; i < values.size() / sizeof(T); ++i) {
        // Next in magnitude is the next bit pattern. Zeros, and what has no neighbour on one side, stay.
        constexpr T smallest = std::numeric_limits<T>::min(), largest = std::numeric_limits<T>::max();
        T magnitude = std::fabs(value[i]);
        if (!(magnitude > smallest && magnitude < largest)) continue;
        bits_type bits = 0;
        std::memcpy(&bits, &value[i], sizeof bits);
        bits = word(key, i) >> 63 ? bits + 1 : bits - 1;
        std::memcpy(&value[i], &bits, sizeof bits);
      }
    }
  });
}

}  // namespace kope
