// One exploration: the actor around exploration_core. It keeps the tickets in flight, learns from what the curator
// committed, writes its row, and at the end has the winner measured against the reference in fresh processes. It dies
// and is started again from its row without losing anything that was committed.
#pragma once

#include <caf/typed_actor.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "actors/planner/policy.hpp"
#include "messages/actors.hpp"
#include "storage/graph_store.hpp"

namespace kope {

struct planner_options {
  exploration_row row;  ///< as stored: new or to be resumed
  task of;
  target_record target;
  std::shared_ptr<const graph_store> store;  ///< for reading its own attempts and the incumbent's source
  std::function<result<std::unique_ptr<policy>>(std::string_view name, parameter_space)> make_policy;
  /// What memory knows of tasks like this one, nearest first; asked once, when the exploration is new.
  std::function<result<std::vector<attempt_record>>(const graph_snapshot&, wire::ExplorationSpec::Reader,
                                                    wire::Task::Reader)>
      recall;
  uint32_t incarnation = 0;
  uint32_t generation = 0;     ///< counts restarts of this planner in this incarnation
  bool measure_winner = true;  ///< false for `eval`: its one attempt was compared with the reference already
};

struct planner_neighbours {
  coder_actor coder;
  memory_curator_actor curator;
  core_ledger_actor ledger;             ///< admits attempts
  stage_pool_actor profile_pool;        ///< measures the winner
  std::vector<stage_pool_actor> pools;  ///< all of them, for cancel
  watcher_actor watcher;
};

planner_actor spawn_planner(caf::actor_system& system, planner_options options, planner_neighbours neighbours);

}  // namespace kope
