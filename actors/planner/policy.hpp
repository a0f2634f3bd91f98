// Contract of a planner policy: what to try next, and what to learn from how it ended. One file pair in policies/ and
// one line in the catalogue. Plain values, no CAF, no clock; all randomness comes from the source that is passed in,
// so that a seed repeats every decision. Used by one exploration, on the planner's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "actors/planner/parameter_neighbourhood.hpp"
#include "messages/graph.capnp.h"
#include "messages/result.hpp"

namespace kope {

/// Design §2.1: the snapshot lives in the exploration row.
constexpr size_t policy_snapshot_bytes_max = 64 << 10;

struct proposal {
  point at;
  std::string reason;  ///< becomes the attempt's chosenBy, after the policy's name
};

class policy {
public:
  virtual ~policy() = default;

  virtual std::string_view name() const = 0;

  /// The next point, or nothing while (or because) there is nothing worth trying; asked again after the next learn().
  virtual std::optional<proposal> next(random_source& random) = 0;

  /// How an attempt of this exploration ended, in commit order. `incumbent`: it is the best verified source from now
  /// on. Attempts that were interrupted or are duplicates are told too: their points are not in flight any more.
  virtual void learn(const point& at, wire::Attempt::Reader attempt, bool incumbent) = 0;

  /// State as text, at most policy_snapshot_bytes_max; restore() of it goes on where it stood.
  virtual std::string snapshot() const = 0;
  virtual result<unit> restore(std::string_view snapshot) = 0;
};

}  // namespace kope
