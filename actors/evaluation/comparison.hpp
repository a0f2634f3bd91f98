// Is what a kernel wrote near enough to what the oracle says? Element by element, with the rules for values that have
// no distance. Pure, any thread. Fast: between two timed batches several 4 MiB outputs are compared.
//
// An element is right when |got - wanted| <= relative * |wanted| + absolute, and
//   wanted NaN       got must be NaN (of another payload than the poison)
//   wanted +-inf     got must be the same infinity
//   wanted too large for the output's type: got must be the infinity of its sign
//   integer types    got must be equal
// and an output of which every element is zero while at least half of 16 or more wanted ones are not is wrong whatever
// the tolerance says: an output smaller than an absolute tolerance once let zeros pass (field reports, 79).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "actors/evaluation/case_bank.hpp"
#include "messages/task.capnp.h"

namespace kope {

/// What an output holds before a call: a NaN with a random payload for floating types, so that it is never near
/// anything; a random number for integers. Another one for each batch.
struct poison {
  wire::ElementType type = wire::ElementType::F32;
  uint64_t word = 0;  ///< the low four bytes for 4-byte types
};

poison make_poison(wire::ElementType type, uint64_t random);
void write_poison(std::span<std::byte> out, poison with);
/// Index of the first element that still holds the poison.
std::optional<size_t> find_poison(std::span<const std::byte> got, poison with);

/// Errors above this many tolerances are all the same; keeps the number finite in records.
constexpr double worst_error_max = 1e9;

struct compared_output {
  double worst = 0;                 ///< largest error over its tolerance, 1 is the limit; at most worst_error_max
  std::optional<size_t> first_bad;  ///< index of the first wrong element
  std::string reason;               ///< why it is wrong, for people; empty when it is right
};

/// Every element. `got` has as many elements of `with.type` as `wanted` has values, in any alignment of that type.
compared_output compare_output(std::span<const std::byte> got, const expected_output& wanted, poison with);

/// The first `elements` alone: what it would be like not to compare everything (defences.hpp).
compared_output compare_first(std::span<const std::byte> got, const expected_output& wanted, poison with,
                              size_t elements);

/// `samples` elements chosen by `random`, and the whole output for poison. For the batches between the first and the
/// last: a kernel cannot know which elements will be looked at.
compared_output compare_sample(std::span<const std::byte> got, const expected_output& wanted, poison with,
                               size_t samples, uint64_t random);

}  // namespace kope
