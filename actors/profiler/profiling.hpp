// What the profile stage does with one work: times the candidate against the incumbent and the parent, decides
// promotions, and refuses to believe what the device cannot do. Blocking: device threads, while the core ledger's
// `measure` is held. No CAF.
#pragma once

#include <memory>

#include "actors/evaluation/bank_registry.hpp"
#include "actors/evaluation/known_limits.hpp"
#include "actors/outcome_of.hpp"
#include "actors/profiler/artifact_memory.hpp"
#include "toolchains/device_thread.hpp"

namespace kope {

struct profiling_options {
  std::shared_ptr<bank_registry> banks;
  std::shared_ptr<artifact_memory> artifacts;  ///< survives a worker's restart
  std::shared_ptr<known_limits> limits;        ///< null: nothing is suspect, and no fraction is told
};

/// How the attempt ended: this stage always ends it. `interrupted` when it was cancelled.
outcome profiled(const profiling_options& options, wire::Work::Reader content, const cancel_flag& cancel);

}  // namespace kope
