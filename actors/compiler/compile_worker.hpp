// Compile stage: a candidate becomes a shared object. The compiler's child tells the worker when it is done.
#pragma once

#include <functional>
#include <memory>

#include "actors/stage_worker.hpp"
#include "messages/actors.hpp"
#include "toolchains/compiler.hpp"

namespace kope {

struct compile_worker_options {
  std::shared_ptr<compiler> tool;
  std::function<const task*(std::string_view name)> find_task;
};

/// Announces itself to its pool.
worker_actor spawn_compile_worker(caf::actor_system& system, compile_worker_options options, stage_pool_actor pool);

}  // namespace kope
