#include "actors/evaluation/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "actors/evaluation/element_types.hpp"
#include "actors/evaluation/input_values.hpp"
#include "messages/result.hpp"

namespace kope {

namespace {

constexpr size_t block_elements = 1024;  // wanted and got of one block stay in L1
constexpr size_t all_zero_elements_min = 16;

template <class F>
auto with_elements(std::span<const std::byte> bytes, wire::ElementType type, F&& use) {
  switch (type) {
    case wire::ElementType::F32:
      return use(reinterpret_cast<const float*>(bytes.data()));
    case wire::ElementType::F64:
      return use(reinterpret_cast<const double*>(bytes.data()));
    case wire::ElementType::I32:
      return use(reinterpret_cast<const int32_t*>(bytes.data()));
    case wire::ElementType::I64:
      break;
  }
  return use(reinterpret_cast<const int64_t*>(bytes.data()));
}

template <class T>
bool holds_poison(T value, uint64_t word) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits == (sizeof value == 4 ? word & 0xffffffff : word);
}

/// Error of one element over its tolerance by every rule; above 1 is wrong.
template <class T>
double judge(T got, double wanted, const expected_output& how) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<double>(got) == wanted ? 0 : worst_error_max;
  } else {
    if (how.nan_may_pass && std::isnan(static_cast<double>(got) - wanted)) return 0;
    if (std::isnan(wanted)) return std::isnan(got) ? 0 : worst_error_max;
    if (std::isinf(wanted) || std::fabs(wanted) > std::numeric_limits<T>::max()) {
      return std::isinf(got) && std::signbit(got) == std::signbit(wanted) ? 0 : worst_error_max;
    }
    double error = std::fabs(static_cast<double>(got) - wanted);
    if (error == 0) return 0;
    double tolerance = how.tolerance_relative * std::fabs(wanted) + how.tolerance_absolute;
    double share = error / tolerance;
    return share <= worst_error_max ? share : worst_error_max;  // NaN becomes the largest
  }
}

template <class T>
std::string wrong_element(size_t index, T got, double wanted, bool poisoned) {
  char line[160];
  if (poisoned) {
    std::snprintf(line, sizeof line, "element %zu was not written", index);
  } else {
    std::snprintf(line, sizeof line, "element %zu is %.9g, right is %.9g", index, static_cast<double>(got), wanted);
  }
  return line;
}

template <class T>
void judge_one(const T* got, size_t i, const expected_output& wanted, poison with, compared_output& into) {
  bool left = std::is_floating_point_v<T> && holds_poison(got[i], with.word);
  double share = left ? worst_error_max : judge(got[i], wanted.values[i], wanted);
  into.worst = std::max(into.worst, share);
  if (share > 1 && !into.first_bad) {
    into.first_bad = i;
    bool unwritten = holds_poison(got[i], with.word);
    into.reason = wrong_element(i, got[i], wanted.values[i], unwritten);
  }
}

struct block_sum {
  double worst = 0;
  bool clean = true;
  bool zero = true;
};

/// A block without anything special, as the compiler can vectorise it. Not clean means: look again, one by one.
template <class T>
block_sum fast_block(const T* got, const double* wanted, size_t n, double relative, double absolute) {
  double worst = 0;
  int64_t bad = 0, nonzero = 0;
  for (size_t i = 0; i < n; ++i) {
    double value = static_cast<double>(got[i]);
    double share = std::fabs(value - wanted[i]) / (relative * std::fabs(wanted[i]) + absolute);
    bad |= !(share <= 1.0);  // in this form NaN is bad
    worst = share > worst ? share : worst;
    nonzero |= value != 0;
  }
  return {worst, bad == 0, nonzero == 0};
}

template <class T>
compared_output compare_elements(const T* got, const expected_output& wanted, poison with) {
  compared_output found;
  size_t n = wanted.values.size();
  bool zero = true;
  for (size_t first = 0; first < n; first += block_elements) {
    size_t count = std::min(block_elements, n - first);
    block_sum sum{0, false, true};
    if constexpr (std::is_floating_point_v<T>) {
      sum = fast_block(got + first, wanted.values.data() + first, count, wanted.tolerance_relative,
                       wanted.tolerance_absolute);
    } else {
      for (size_t i = first; i < first + count; ++i) sum.zero &= got[i] == 0;
    }
    zero &= sum.zero;
    if (sum.clean) {
      found.worst = std::max(found.worst, sum.worst);
    } else {
      for (size_t i = first; i < first + count; ++i) judge_one(got, i, wanted, with, found);
      if (found.first_bad) return found;  // the first wrong block is enough
    }
  }
  if (zero && n >= all_zero_elements_min && !wanted.zeros_may_pass) {
    size_t nonzero = 0;
    for (double value : wanted.values) nonzero += static_cast<T>(value) != T{0};
    if (nonzero >= n / 2) {
      found.worst = worst_error_max;
      found.first_bad = 0;
      found.reason = "every element is zero";
    }
  }
  return found;
}

template <class W>
std::optional<size_t> find_word(std::span<const std::byte> got, W word) {
  const W* words = reinterpret_cast<const W*>(got.data());
  size_t n = got.size() / sizeof(W);
  for (size_t first = 0; first < n; first += block_elements) {
    size_t count = std::min(block_elements, n - first);
    W any = 0;
    for (size_t i = 0; i < count; ++i) any |= static_cast<W>(words[first + i] == word);
    if (!any) continue;
    for (size_t i = first; i < first + count; ++i)
      if (words[i] == word) return i;
  }
  return std::nullopt;
}

}  // namespace

poison make_poison(wire::ElementType type, uint64_t random) {
  switch (type) {
    // A signalling NaN: arithmetic only ever makes quiet ones, so a kernel that computes cannot write it by accident.
    case wire::ElementType::F32:
      return {type, 0x7fa00000 | (random & 0xfffff)};
    case wire::ElementType::F64:
      return {type, 0x7ff4000000000000 | (random & 0x3ffffffffffff)};
    default:
      return {type, random};
  }
}

void write_poison(std::span<std::byte> out, poison with) {
  if (element_bytes(with.type) == 4) {
    auto* words = reinterpret_cast<uint32_t*>(out.data());
    std::fill(words, words + out.size() / 4, static_cast<uint32_t>(with.word));
  } else {
    auto* words = reinterpret_cast<uint64_t*>(out.data());
    std::fill(words, words + out.size() / 8, with.word);
  }
}

std::optional<size_t> find_poison(std::span<const std::byte> got, poison with) {
  if (element_bytes(with.type) == 4) return find_word<uint32_t>(got, static_cast<uint32_t>(with.word));
  return find_word<uint64_t>(got, with.word);
}

compared_output compare_output(std::span<const std::byte> got, const expected_output& wanted, poison with) {
  check(got.size() == wanted.values.size() * element_bytes(with.type), "an output has the oracle's element count");
  return with_elements(got, with.type, [&](const auto* e) { return compare_elements(e, wanted, with); });
}

compared_output compare_first(std::span<const std::byte> got, const expected_output& wanted, poison with,
                              size_t elements) {
  check(got.size() == wanted.values.size() * element_bytes(with.type), "an output has the oracle's element count");
  compared_output found;
  with_elements(got, with.type, [&](const auto* e) {
    for (size_t i = 0; i < std::min(elements, wanted.values.size()); ++i) judge_one(e, i, wanted, with, found);
    return 0;
  });
  return found;
}

compared_output compare_sample(std::span<const std::byte> got, const expected_output& wanted, poison with,
                               size_t samples, uint64_t random) {
  check(got.size() == wanted.values.size() * element_bytes(with.type), "an output has the oracle's element count");
  size_t n = wanted.values.size();
  if (n <= samples) return compare_output(got, wanted, with);
  compared_output found;
  if (auto left = find_poison(got, with)) {
    // An integer output may hold the poison's number by right.
    with_elements(got, with.type, [&](const auto* e) {
      judge_one(e, *left, wanted, with, found);
      return 0;
    });
    if (found.first_bad) return found;
    if (!is_floating(with.type)) return compare_output(got, wanted, with);
  }
  with_elements(got, with.type, [&](const auto* e) {
    for (size_t s = 0; s < samples && !found.first_bad; ++s) judge_one(e, mix(random, s) % n, wanted, with, found);
    return 0;
  });
  return found;
}

}  // namespace kope
