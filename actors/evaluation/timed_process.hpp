// One of the two processes of a comparison: poisons its outputs for each batch, has the filled slots called in a secret
// order, and checks what was written. Whoever owns the inputs fills them (paired_timing.cpp). Blocking, one thread at a
// time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "actors/evaluation/candidate_fault.hpp"
#include "actors/evaluation/case_bank.hpp"
#include "actors/evaluation/comparison.hpp"
#include "toolchains/runner.hpp"

namespace kope {

struct timed_batch {
  double seconds_per_call = 0;
  double unclocked_seconds = 0;            ///< batch_report's
  std::optional<batch_counters> counters;  ///< of the whole batch, where the machine has such
  bool disturbed = false;                  ///< the process did not have its CPU for the whole batch
  std::optional<fault> failed;
};

/// Inputs as they lie in the memory that both processes read: sets[i] is in slots[i].
struct filled_slots {
  std::vector<uint64_t> sets;
  std::vector<uint32_t> slots;  ///< distinct
};

/// How much of the outputs is looked at after a batch: every element, or those of a sample, the whole poison scan, and
/// every element all the same in one batch of four, which a candidate cannot foresee.
enum class checking : uint8_t { all, sample };

class timed_process {
public:
  timed_process(case_bank& bank, const concrete_case& timed, std::unique_ptr<runner_session> session, size_t slots);

  /// One call for each of the first `calls` filled slots, from 1 to as many as there are.
  result<timed_batch> run(const filled_slots& filled, size_t calls, checking how);
  runner_session& session() { return *session_; }

  /// Calls for one batch: long enough to measure, no more slots than there are. Measured by warm_up.
  size_t calls() const { return calls_; }
  void decide_calls(double seconds_per_call);
  /// At most as many as there are slots.
  void set_calls(size_t calls) { calls_ = std::min(calls, slots_); }
  /// For kernels so slow that only the first slot's pages were touched: one call a batch, in that slot.
  void use_only_first_slot() { slots_ = 1; }
  bool uses_only_first_slot() const { return slots_ == 1; }

private:
  result<std::optional<fault>> look(checking how);

  case_bank& bank_;
  concrete_case timed_;
  std::unique_ptr<runner_session> session_;
  size_t slots_;
  size_t calls_ = 1;
  std::mt19937_64 random_;
  std::vector<wire::ElementType> types_;
  std::vector<poison> poisons_;
  std::vector<uint64_t> last_sets_;  // of the last batch, and the slot of each
  std::vector<uint32_t> last_slots_;
};

}  // namespace kope
