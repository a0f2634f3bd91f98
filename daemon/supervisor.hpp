// The root of all actors: spawns them, restarts leaf workers and planners, and ends the program in order when asked or
// when a pool, the ledger, the coder or the curator dies (the next start resumes). Everybody gets their neighbours here
// and nobody keeps a worker's handle but its pool, to which it announces itself.
#pragma once

#include <caf/typed_actor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/evaluation/bank_registry.hpp"
#include "actors/evaluation/known_limits.hpp"
#include "actors/planner/policy.hpp"
#include "actors/stage_worker.hpp"
#include "messages/actors.hpp"
#include "storage/graph_store.hpp"
#include "toolchains/compiler.hpp"
#include "toolchains/device_thread.hpp"

namespace kope {

/// A source that somebody wrote, for `eval`: then the coder is `given`.
struct given_source {
  std::string text;
  std::vector<std::string> flags;
};

/// How a build is verified and timed. Empty: on the device (verify_worker.hpp, profile_worker.hpp); scenarios and the
/// bench of the program's own cost bring their own.
struct stage_begins {
  begin_stage verify, profile;
};

/// How long a worker may have an attempt. Above what the stage itself bounds: the compiler's wall limit, the verifier's
/// and the timer's seconds_max plus, for the first attempt of a task, making its case bank.
struct stage_leases {
  std::chrono::milliseconds compile{60'000};
  std::chrono::milliseconds verify{120'000};
  std::chrono::milliseconds profile{120'000};
};

struct supervisor_options {
  std::shared_ptr<graph_store> store;
  std::shared_ptr<compiler> tool;
  std::shared_ptr<bank_registry> banks;
  std::shared_ptr<known_limits> limits;  ///< null: nothing is suspect
  std::shared_ptr<device_threads> threads;
  target_record target;
  toolchain_record toolchain;
  uint32_t cores = 1;
  std::function<result<std::unique_ptr<policy>>(std::string_view name, parameter_space)> make_policy;
  std::function<bool()> try_machine_lock;
  std::function<void()> release_machine_lock;
  std::function<void(const work&)> quarantine;
  std::shared_ptr<const given_source> given;
  std::string coder = "schedule";  ///< where nothing is given: schedule, or flags for a user's own file
  bool measure_winner = true;
  stage_begins begins;
  stage_leases leases;
  /// How long a full disk is waited out before the program ends; nothing: for ever.
  std::optional<std::chrono::seconds> disk_full_max;
  /// Called once when the program cannot go on, with the reason; actors end by themselves after it.
  std::function<void(std::string)> on_fatal;
};

supervisor_actor spawn_supervisor(caf::actor_system& system, supervisor_options options);

}  // namespace kope
