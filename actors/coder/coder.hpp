// Coders: a plan becomes a candidate. All answer to coder_actor; `schedule` writes C++ from a family and parameters,
// `flags` leaves a user's own file in C as it is but for what the compiler is told about it, `given` hands out one
// source that somebody wrote (`kope eval`).
#pragma once

#include <caf/typed_actor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "messages/actors.hpp"
#include "storage/graph_store.hpp"

namespace kope {

struct coder_options {
  std::function<const task*(std::string_view name)> find_task;
  std::shared_ptr<const graph_store> store;  ///< for duplicates
};

struct coder_neighbours {
  stage_pool_actor compile_pool;
  memory_curator_actor curator;
};

coder_actor spawn_schedule_coder(caf::actor_system& system, coder_options options, coder_neighbours neighbours);

/// For tasks in C.
coder_actor spawn_flags_coder(caf::actor_system& system, coder_options options, coder_neighbours neighbours);

/// Its space is one point without parameters.
coder_actor spawn_given_coder(caf::actor_system& system, std::string source, std::vector<std::string> flags,
                              coder_neighbours neighbours);

}  // namespace kope
