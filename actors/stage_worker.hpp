// The worker of every stage: an event-based actor that has at most one work in hand, begins it with the stage's own
// function and gets a message when it ended. The function may not block: what blocks runs on a device thread
// (on_device_thread), what is a child process belongs to the process host.
#pragma once

#include <caf/typed_actor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "messages/actors.hpp"
#include "toolchains/device_thread.hpp"

namespace kope {

/// Ends what was begun, soon; its end is still told. On the worker's thread, also when the worker itself ends.
using end_early = std::function<void()>;

/// Begins a work and returns at once. Later, from any thread, exactly one `(finished, work)` or `(finished, outcome)`
/// goes to `tell`. An exception ends the worker, and its pool hands the work out once more.
using begin_stage = std::function<end_early(const work&, const worker_actor& tell)>;

using stage_end = std::variant<work, outcome>;  ///< goes on, or ended here
/// Judges on a device thread, where it may block; returns soon after the flag is set. An exception becomes
/// harness_error.
using stage_judge = std::function<stage_end(const work&, const cancel_flag&)>;
begin_stage on_device_thread(std::shared_ptr<device_threads> threads, wire::Stage stage, stage_judge judge);

/// Announces itself to its pool. `name`: for status and logs.
worker_actor spawn_stage_worker(caf::actor_system& system, std::string name, begin_stage begin, stage_pool_actor pool);

}  // namespace kope
