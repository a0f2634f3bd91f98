// Values of input tensors, by (seed, set, tensor, index): counter-based, so that any part of any set can be made again
// and nothing has to be stored. The same on every machine: integer arithmetic, then IEEE operations without contraction
// and without a mathematical library. Pure, any thread. Uniform values and integers come at about 1 GB/s on one core,
// because 16 MiB sets are refilled between timed batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "messages/task.capnp.h"

namespace kope {

struct fill_spec {
  wire::FillKind kind = wire::FillKind::UNIFORM;
  double low = 0;
  double high = 1;
};

/// Mixes one more number into a key. `mix(mix(seed, a), b)` differs from `mix(mix(seed, b), a)`.
uint64_t mix(uint64_t key, uint64_t more);

/// Fills a tensor of `type`. In integer tensors uniform and special mean whole numbers in [low, high), the others are
/// rounded towards zero. `out` is as long as the tensor and aligned for it.
void fill_values(std::span<std::byte> out, wire::ElementType type, const fill_spec& spec, uint64_t key);

/// Moves every finite value other than zero to the next number of its type, up or down by the key: about what rounding
/// the inputs once more would do. For measuring how sensitive an operator is (tolerance.hpp). Integers stay.
void move_to_neighbours(std::span<std::byte> values, wire::ElementType type, uint64_t key);

}  // namespace kope
