// Which of two artifacts is faster on a timed case, and by how much? Two processes pinned to the same CPU, frozen when
// it is not their turn, fresh contents in rotating slots, order swapped every pair, outputs checked in every batch;
// stops as soon as the 99 % interval of the median log ratio is narrow enough (reading of the rule: statistics.hpp).
// When the input sets are used up, or another program keeps taking the CPU, both start anew as fresh processes, on the
// CPU that is quickest then, and the pairs go on: a fresh process has seen no set yet.
// Blocking; device threads only, while the core ledger's `measure` is held.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actors/evaluation/case_bank.hpp"
#include "messages/parcel.hpp"
#include "messages/work.capnp.h"

namespace kope {

using comparison = parcel<wire::Comparison>;

struct timing_options {
  /// Rotating: a batch goes through as much memory as slots may have, so that data comes from afar. Resident: through
  /// half of L2 at most, and it was read before the clock is on.
  wire::TimingMode mode = wire::TimingMode::ROTATING;
  uint32_t l2_bytes = 0;              ///< of the target; needed for resident timing alone
  std::vector<int> cpus;              ///< of both processes; the best one is probed when several are given
  double seconds_max = 8;             ///< of timed work; then what is known is said
  bool precise = false;               ///< until the interval is narrow, however clear the decision is
  uint64_t first_set = 0;             ///< input sets are used from here on
  std::string against = "reference";  ///< name of the old one, for the record
};

/// What timing found out about the candidate when it was not only slow or fast.
struct timing_result {
  comparison compared;  ///< old time / new time
  wire::OutcomeClass fault =
      wire::OutcomeClass::IMPROVED;  ///< IMPROVED: none; else wrongAnswer, crashed, timedOut of the new one
  std::string fault_detail;
  uint32_t disturbed_pairs = 0;            ///< dropped because a process lost its CPU
  uint32_t starts = 1;                     ///< how often both processes were started
  double timed_seconds = 0;                ///< of all batches of both processes, warm-up and dropped pairs included
  std::optional<batch_counters> counters;  ///< of a call of the new one, where the machine has such
  double footprint_bytes = 0;              ///< memory that a batch of the new one goes through, the least of all starts
  std::string note;                        ///< why it stopped early: time was up, or the kernel is too short to rank
};

/// Why this case cannot be timed as resident data, one sentence; empty when it can.
std::string objection_to_resident(const concrete_case& timed, uint32_t l2_bytes);

/// An error is ours (also when the *old* artifact fails: it was verified before).
result<timing_result> compare_artifacts(runner& with, case_bank& bank, const concrete_case& timed,
                                        std::span<const std::byte> old_artifact,
                                        std::span<const std::byte> new_artifact, const timing_options& options,
                                        const cancel_flag& cancel);

}  // namespace kope
