// Is an artifact right? Runs it on every listed case and one drawn shape, on guarded, poisoned memory, and compares
// with the oracle. Blocking; device threads only.
#pragma once

#include <span>
#include <vector>

#include "actors/evaluation/case_bank.hpp"
#include "messages/parcel.hpp"
#include "messages/work.capnp.h"

namespace kope {

using verdict = parcel<wire::Verdict>;

struct verification_options {
  std::vector<int> cpus;    ///< where the candidate runs
  uint64_t draw = 0;        ///< which drawn shape and input sets
  double seconds_max = 60;  ///< for everything; a stage's lease is above it
};

/// The verdict: correct_not_faster when nothing was wrong, else the first thing that was. Feedback about a hidden or
/// drawn case is one phrase. An error is ours: runner missing, oracle failed.
result<verdict> verify_artifact(runner& with, case_bank& bank, std::span<const std::byte> artifact,
                                const verification_options& options, const cancel_flag& cancel);

}  // namespace kope
