// The root of all actors: spawns them, restarts leaf workers and planners, and ends the program in order when asked or
// when a pool, the ledger, the coder or the curator dies (the next start resumes). Everybody gets their neighbours here
// and nobody keeps a worker's handle but its pool, to which it announces itself.
#pragma once

#include <caf/typed_actor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/evaluation/bank_registry.hpp"
#include "actors/planner/policy.hpp"
#include "messages/actors.hpp"
#include "storage/graph_store.hpp"
#include "toolchains/compiler.hpp"
#include "toolchains/device_thread.hpp"

namespace kope {

/// A source that somebody wrote, for `eval`: then the coder is `given`, else `schedule`.
struct given_source {
  std::string text;
  std::vector<std::string> flags;
};

struct supervisor_options {
  std::shared_ptr<graph_store> store;
  std::shared_ptr<compiler> tool;
  std::shared_ptr<bank_registry> banks;
  std::shared_ptr<device_threads> threads;
  target_record target;
  toolchain_record toolchain;
  uint32_t cores = 1;
  std::function<result<std::unique_ptr<policy>>(std::string_view name, parameter_space)> make_policy;
  std::function<bool()> try_machine_lock;
  std::function<void()> release_machine_lock;
  std::function<void(const work&)> quarantine;
  std::shared_ptr<const given_source> given;
  bool measure_winner = true;
  /// Called once when the program cannot go on, with the reason; actors end by themselves after it.
  std::function<void(std::string)> on_fatal;
};

supervisor_actor spawn_supervisor(caf::actor_system& system, supervisor_options options);

}  // namespace kope
