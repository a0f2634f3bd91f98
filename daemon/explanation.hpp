// How an exploration came to its winner: the promotions that lead to it, and what was tried against each of them and
// lost. A plain function over stored attempts; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "messages/actors.hpp"
#include "messages/result.hpp"

namespace kope {

using attempt_record = parcel<wire::Attempt>;

struct change {
  std::string meaning;
  double before = 0, after = 0;
  bool had_before = false;  ///< false at the first step, and where another coder wrote the one before
};

struct lost_try {
  attempt_record attempt;
  std::vector<change> changes;  ///< against the best of that moment
};

struct explained_step {
  attempt_record attempt;
  std::string against;                             ///< attempt id, or "reference"
  std::vector<change> changes;                     ///< of parameters
  double fraction_before = 0, fraction_after = 0;  ///< of the limit; 0: not known
  /// Tried against the same source before this one won.
  std::map<std::string, unsigned> outcomes;  ///< by class
  std::vector<lost_try> lost;                ///< those that were measured and slower, the slowest first, at most three
};

struct explanation {
  std::vector<explained_step> steps;  ///< from the reference on
  /// Tried against the winner, after it.
  std::map<std::string, unsigned> outcomes;
  std::vector<lost_try> lost;
};

/// `attempts`: of one exploration, oldest first. `winner`: an attempt id; empty: nothing beat the reference, and there
/// are no steps. errc::internal when a promotion names an attempt that is not there, or they go in a circle.
result<explanation> explain(const std::vector<attempt_record>& attempts, const std::string& winner);

}  // namespace kope
