// The one writer of the experience graph: the actor around commit_queue. Wiring spawns it detached, because a commit
// waits for the disk. It commits what its mailbox holds in one transaction and only then says `committed`.
#pragma once

#include <caf/typed_actor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "messages/actors.hpp"
#include "storage/graph_store.hpp"

namespace kope {

struct memory_curator_options {
  std::shared_ptr<graph_store> store;
  /// Asks the pools to stop handing out while the disk is full, and to go on (core ledger).
  core_ledger_actor ledger;
  /// How long a full disk is waited out before `cannot_go_on` is told why, once; nothing: for ever. Commits are tried
  /// all the same until somebody ends the curator.
  std::optional<std::chrono::seconds> disk_full_max;
  std::function<void(const std::string& why)> cannot_go_on;  ///< on the curator's thread
  bool detached = true;                                      ///< false under a test's scheduler
};

/// Closes every open row of an earlier incarnation as interrupted before it takes messages; how many is in its status.
memory_curator_actor spawn_memory_curator(caf::actor_system& system, memory_curator_options options);

}  // namespace kope
