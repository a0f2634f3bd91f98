// Profile stage: is the build faster than the incumbent, and than its parent? The timing is
// profiling.hpp, on a device thread, while the core ledger's `measure` is held.
#pragma once

#include <caf/typed_actor.hpp>
#include <memory>

#include "actors/profiler/profiling.hpp"
#include "messages/actors.hpp"
#include "toolchains/device_thread.hpp"

namespace kope {

struct profile_worker_options {
  std::shared_ptr<device_threads> threads;
  profiling_options judging;
};

/// Announces itself to its pool.
worker_actor spawn_profile_worker(caf::actor_system& system, profile_worker_options options, stage_pool_actor pool);

}  // namespace kope
