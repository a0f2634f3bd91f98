// The actor around ledger_core and admission_core: takes requests of pools and planners, sends grants and admissions.
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
