// The actor around ledger_core: takes requests of the pools, sends grants.
#pragma once

#include <functional>

#include "messages/actors.hpp"

namespace kope {

struct core_ledger_options {
  uint32_t cores = 1;
  std::function<bool()> try_machine_lock;  ///< never blocks
  std::function<void()> release_machine_lock;
};

core_ledger_actor spawn_core_ledger(caf::actor_system& system, core_ledger_options options);

}  // namespace kope
