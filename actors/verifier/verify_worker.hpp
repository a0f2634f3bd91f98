// Verify stage: is the build right on every case? The judging is actors/evaluation/verification.hpp, on a device
// thread.
#pragma once

#include <caf/typed_actor.hpp>
#include <memory>

#include "actors/evaluation/bank_registry.hpp"
#include "messages/actors.hpp"
#include "toolchains/device_thread.hpp"

namespace kope {

struct verify_worker_options {
  std::shared_ptr<device_threads> threads;
  std::shared_ptr<bank_registry> banks;
};

/// Announces itself to its pool.
worker_actor spawn_verify_worker(caf::actor_system& system, verify_worker_options options, stage_pool_actor pool);

}  // namespace kope
