// Profile stage: is the build faster than the incumbent, and than its parent? The timing is
// actors/evaluation/paired_timing.hpp, on a device thread, while the core ledger's `measure` is held.
#pragma once

#include <caf/typed_actor.hpp>
#include <memory>

#include "actors/evaluation/bank_registry.hpp"
#include "actors/profiler/artifact_memory.hpp"
#include "messages/actors.hpp"
#include "toolchains/device_thread.hpp"

namespace kope {

struct profile_worker_options {
  std::shared_ptr<device_threads> threads;
  std::shared_ptr<bank_registry> banks;
  std::shared_ptr<artifact_memory> artifacts;  ///< survives a worker's restart
};

/// Announces itself to its pool.
worker_actor spawn_profile_worker(caf::actor_system& system, profile_worker_options options, stage_pool_actor pool);

}  // namespace kope
