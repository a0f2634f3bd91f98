// The search of one exploration, without CAF: which attempt comes next, what is in flight, who is the incumbent, when
// it is over. The planner actor around it moves messages. Its durable state is the exploration row; a restart is
// `exploration_core(row)` and learn() of the outcomes after row.coveredStep, so restarting costs open work and at most
// 64 outcomes, not history.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/planner/policy.hpp"
#include "messages/graph.capnp.h"
#include "messages/ids.hpp"
#include "messages/parcel.hpp"
#include "messages/plan.capnp.h"

namespace kope {

using exploration_row = parcel<wire::Exploration>;
using plan = parcel<wire::Plan>;

/// The row is rewritten with every 64th outcome so that a restart reads few outcomes.
constexpr uint32_t outcomes_per_row = 64;
/// Attempt numbers may exceed the budget by what does not count (duplicates, interrupted ones); past this factor
/// something keeps failing for free, and the exploration ends.
constexpr uint32_t numbers_per_attempt_max = 8;

class exploration_core {
public:
  /// errc::invalid_input when the row's snapshot cannot be restored by this policy.
  static result<std::unique_ptr<exploration_core>> open(exploration_row row, parameter_space space,
                                                        std::unique_ptr<policy> with, uint32_t incarnation,
                                                        uint32_t generation);

  /// How many attempts tickets and budget allow to begin now; the policy may have fewer proposals.
  uint32_t free_tickets(double spent_seconds) const;

  /// The next attempt, if a ticket is free, the budget allows one and the policy has a proposal. `spent_seconds`: of
  /// the exploration so far. `incumbent_source` and `incumbent_flags` go into the plan for whoever has no artifact of
  /// it.
  std::optional<plan> next(double spent_seconds);

  /// Points that come before the policy's own: what memory recalled. Each is verified and timed like any other, and the
  /// attempt names where it came from. Called once, for a new exploration; they are in the row's snapshot from then on.
  void begin_with(std::vector<std::pair<point, attempt_id>> recalled);

  struct lesson {
    bool new_incumbent = false;
    bool ours = false;  ///< it was in flight here
  };
  /// A committed attempt, live or after a restart.
  lesson learn(wire::Attempt::Reader attempt, double step);

  /// Source and flags of the incumbent, for the plans that follow.
  void set_incumbent_source(std::string source, std::vector<std::string> flags);

  /// Why it is over, once nothing is in flight any more; nothing while it goes on. Of the budget ("attempts",
  /// "seconds"), of what the specification says is enough ("fraction of the limit", "plateau"), or of the search
  /// ("nothing left to try").
  std::optional<std::string> stop_reason(double spent_seconds) const;
  /// No more attempts from here on; stop_reason() gives `why` when the last one is in.
  void stop(std::string why);

  bool row_due() const { return outcomes_since_row_ >= outcomes_per_row; }
  /// The row as it stands, policy snapshot included. Resets row_due().
  exploration_row row(double spent_seconds, wire::ExplorationState state);

  attempt_id incumbent() const { return incumbent_; }
  size_t in_flight() const { return in_flight_.size(); }
  uint32_t spent_attempts() const { return spent_attempts_; }
  const parameter_space& space() const { return space_; }
  const exploration_row& started_as() const { return row_; }

private:
  exploration_core(exploration_row row, parameter_space space, std::unique_ptr<policy> with, uint32_t incarnation,
                   uint32_t generation);
  bool budget_left(double spent_seconds) const;
  /// Which stop rule of the specification holds, if one does.
  std::optional<std::string> enough() const;

  exploration_row row_;  // as it was opened: its specification does not change
  exploration_id id_;
  parameter_space space_;
  std::unique_ptr<policy> policy_;
  uint32_t incarnation_, generation_;
  random_source random_;
  uint32_t next_number_ = 1;
  uint32_t spent_attempts_ = 0;
  double covered_step_ = 0;
  uint32_t outcomes_since_row_ = 0;
  uint32_t since_incumbent_ = 0;  // attempts that counted and beat nothing, in a row
  double fraction_of_limit_ = 0;  // of the incumbent; 0: not known
  attempt_id incumbent_;
  point incumbent_point_;
  std::string incumbent_source_;
  std::vector<std::string> incumbent_flags_;
  std::unordered_map<uint64_t, point> in_flight_;  // attempt id -> what it tries; at most `tickets`
  struct due {
    point at;
    std::string reason;                 // becomes chosenBy
    std::vector<std::string> injected;  // attempt ids
  };
  std::vector<due> due_;    // before the policy's own: interrupted ones once more, recalled ones
  bool exhausted_ = false;  // the policy had nothing with nothing in flight
  std::string stopped_;
};

}  // namespace kope
