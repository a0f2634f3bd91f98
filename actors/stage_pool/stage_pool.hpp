// One stage of the pipeline: the actor around pool_core. Used three times, for compile, verify and profile. It owns the
// leases, asks the core ledger before it hands out, passes finished work to the next stage and outcomes to the curator.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "messages/actors.hpp"

namespace kope {

struct stage_pool_options {
  wire::Stage stage = wire::Stage::COMPILE;
  core_use use = core_use::compile;
  std::chrono::milliseconds lease{30'000};
  uint32_t incarnation = 0;  ///< work of another one is dropped
  /// Keeps the parcel of an attempt whose work killed two workers, for a person to look at (quarantine/).
  std::function<void(const work&)> quarantine;
};

/// `next` is the following stage's pool; the last stage has none, its finished work is an outcome.
stage_pool_actor spawn_stage_pool(caf::actor_system& system, stage_pool_options options, core_ledger_actor ledger,
                                  memory_curator_actor curator, stage_pool_actor next);

}  // namespace kope
