// What the verify and the profile worker share: an event-based actor that gives each work to a device thread and gets
// a message when it ended. The stage's own part is a function that runs on that thread.
#pragma once

#include <caf/typed_actor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "messages/actors.hpp"
#include "toolchains/device_thread.hpp"

namespace kope {

using stage_end = std::variant<work, outcome>;  ///< goes on, or ended here

struct device_worker_options {
  std::string name;  ///< for status and logs
  wire::Stage stage = wire::Stage::VERIFY;
  std::shared_ptr<device_threads> threads;
  /// On a device thread. An exception becomes harness_error.
  std::function<stage_end(const work&, const cancel_flag&)> judge;
};

/// Announces itself to its pool.
worker_actor spawn_device_worker(caf::actor_system& system, device_worker_options options, stage_pool_actor pool);

}  // namespace kope
