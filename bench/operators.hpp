// How fast the winner of an exploration is beside the reference, the best compiler flags alone and the libraries that
// have the operator: all in one run, paired, on one CPU. Blocking; main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/evaluation/known_limits.hpp"
#include "bench/targets.hpp"
#include "bench/workplace.hpp"

namespace kope::bench {

struct flags_result {
  std::vector<std::string> flags;
  comparison against_reference;
  std::string refused;  ///< why this one does not count, e.g. that its results are wrong
};

/// A peer's results are checked in every batch of the timed case, and on no other case: some take only its layout.
struct peer_result {
  std::string library;
  std::string about;                  ///< what the library says it is, or why it cannot be used
  std::optional<comparison> against;  ///< peer / winner
  std::string refused;                ///< why its figure does not count, e.g. that its results are wrong
};

struct operator_result {
  std::string task;
  std::string timed_case;
  double flops = 0, bytes = 0;  ///< least work of the case
  double load_before = 0, load_after = 0;
  int cpu = 0;

  uint32_t attempts = 0;
  double explored_seconds = 0;
  std::string stop_reason;
  uint32_t seed = 0;
  std::string winner_source, winner_parameters;  ///< empty: nothing beat the reference
  comparison as_explored;                        ///< what `kope run` would print
  std::optional<comparison> speedup;             ///< reference / winner

  std::vector<flags_result> flags;
  std::optional<size_t> best_flags;         ///< the fastest of them
  std::optional<comparison> against_flags;  ///< best flags / winner

  std::vector<peer_result> peers;
  std::optional<size_t> best_peer;  ///< the fastest of those that count

  least_time least;  ///< by this device's limits, measured in the same minutes; 0 seconds: not known
};

/// The best peer / winner.
std::optional<comparison> against_best_peer(const operator_result& of);

/// The tasks of the table, in its order.
std::vector<std::string> operator_tasks();

/// The tasks that the request names, or all of the table, each its first timed case.
result<std::vector<operator_result>> measure_operators(workplace& at);

/// Microseconds of one call, as the median of a comparison's old and new side.
double reference_microseconds(const operator_result& of);
double winner_microseconds(const operator_result& of);
std::vector<target> operator_targets(const std::vector<operator_result>& all);

// operators_report.cpp
std::string operators_text(const std::vector<operator_result>& all);
json operators_json(const std::vector<operator_result>& all);

}  // namespace kope::bench
