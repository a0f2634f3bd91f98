#include "daemon/supervisor.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>
#include <chrono>
#include <map>
#include <utility>

#include "actors/actor_shell.hpp"
#include "actors/coder/coder.hpp"
#include "actors/compiler/compile_worker.hpp"
#include "actors/core_ledger/core_ledger.hpp"
#include "actors/memory_curator/memory_curator.hpp"
#include "actors/memory_curator/recall/parameter_recall.hpp"
#include "actors/planner/planner.hpp"
#include "actors/profiler/profile_worker.hpp"
#include "actors/stage_pool/stage_pool.hpp"
#include "actors/verifier/verify_worker.hpp"
#include "messages/content_hash.hpp"
#include "messages/parcel_caf.hpp"

namespace kope {
namespace {

using namespace std::chrono_literals;
constexpr auto create_timeout = 10min;        // a full disk is waited out
constexpr uint32_t planner_restarts_max = 5;  // an exploration that kills its planner again and again is failed
constexpr auto planners_end_within = 8s;      // they write one row each; then they are ended all the same

}  // namespace

struct supervisor_state {
  static inline const char* name = "supervisor";

  supervisor_options options;
  core_ledger_actor ledger;
  memory_curator_actor curator;
  stage_pool_actor compile_pool, verify_pool, profile_pool;
  coder_actor coder;
  std::shared_ptr<artifact_memory> artifacts = std::make_shared<artifact_memory>();

  std::map<caf::actor_addr, std::function<void()>> workers;  // how to start its successor
  std::map<caf::actor_addr, std::string> pillars;            // whose death ends the program
  struct exploring {
    exploration_row row;
    watcher_actor watcher;
    planner_actor planner;
    uint32_t generation = 0;
  };
  std::map<exploration_id, exploring> explorations;
  std::map<uint64_t, exploring> creating;  // asked for, not stored yet
  uint64_t last_creation = 0;
  uint64_t worker_restarts = 0, planner_restarts = 0;
  bool stopping = false;
};

namespace {

using self_pointer = supervisor_actor::stateful_pointer<supervisor_state>;

template <class Handle>
Handle pillar(self_pointer self, std::string name, Handle handle) {
  self->state.pillars[handle.address()] = std::move(name);
  self->monitor(handle);
  return handle;
}

void start_worker(self_pointer self, const std::function<worker_actor()>& spawn) {
  auto worker = spawn();
  self->state.workers[worker.address()] = [self, spawn] { start_worker(self, spawn); };
  self->monitor(worker);
}

void start_actors(self_pointer self) {
  auto& state = self->state;
  auto& options = state.options;
  auto& system = self->system();
  auto incarnation = options.store->incarnation();
  auto pool = [&](wire::Stage stage, core_use use, std::chrono::milliseconds lease, stage_pool_actor next) {
    return pillar(
        self, "a stage pool",
        spawn_stage_pool(
            system,
            {.stage = stage, .use = use, .lease = lease, .incarnation = incarnation, .quarantine = options.quarantine},
            state.ledger, state.curator, std::move(next)));
  };
  state.ledger =
      pillar(self, "the core ledger",
             spawn_core_ledger(system, {options.cores, options.try_machine_lock, options.release_machine_lock}));
  state.curator =
      pillar(self, "the memory curator",
             spawn_memory_curator(
                 system, {.store = options.store,
                          .ledger = state.ledger,
                          .disk_full_max = options.disk_full_max,
                          .cannot_go_on = [me = caf::actor_cast<supervisor_actor>(self)](const std::string& why) {
                            caf::anon_send(me, fatal_atom::value, why);
                          }}));
  state.profile_pool = pool(wire::Stage::PROFILE, core_use::measure, options.leases.profile, {});
  state.verify_pool = pool(wire::Stage::VERIFY, core_use::run, options.leases.verify, state.profile_pool);
  state.compile_pool = pool(wire::Stage::COMPILE, core_use::compile, options.leases.compile, state.verify_pool);
  auto find_task = [banks = options.banks](std::string_view name) { return banks->find_task(name); };
  coder_neighbours neighbours{state.compile_pool, state.curator};
  state.coder =
      pillar(self, "the coder",
             options.given ? spawn_given_coder(system, options.given->text, options.given->flags, neighbours)
             : options.coder == "flags" ? spawn_flags_coder(system, {find_task, options.store}, neighbours)
                                        : spawn_schedule_coder(system, {find_task, options.store}, neighbours));
  // one compile and one verify worker a core; measuring is exclusive, so one profile worker
  for (uint32_t core = 0; core < options.cores; ++core) {
    start_worker(self, [self, find_task] {
      auto& state = self->state;
      return spawn_compile_worker(self->system(), {state.options.tool, find_task}, state.compile_pool);
    });
    start_worker(self, [self] {
      auto& state = self->state;
      if (state.options.begins.verify)
        return spawn_stage_worker(self->system(), "verify_worker", state.options.begins.verify, state.verify_pool);
      return spawn_verify_worker(self->system(), {state.options.threads, state.options.banks}, state.verify_pool);
    });
  }
  start_worker(self, [self] {
    auto& state = self->state;
    if (state.options.begins.profile)
      return spawn_stage_worker(self->system(), "profile_worker", state.options.begins.profile, state.profile_pool);
    return spawn_profile_worker(self->system(),
                                {state.options.threads, {state.options.banks, state.artifacts, state.options.limits}},
                                state.profile_pool);
  });
}

result<std::vector<attempt_record>> recall(const graph_snapshot& graph, wire::ExplorationSpec::Reader spec,
                                           wire::Task::Reader of) {
  auto found = recall_parameters(graph, spec, of);
  if (!found) return found.failure();
  std::vector<attempt_record> attempts;
  for (auto& one : *found) attempts.push_back(one.attempt);
  return attempts;
}

void start_planner(self_pointer self, exploration_id id) {
  auto& state = self->state;
  auto& exploring = state.explorations.at(id);
  const task* of = state.options.banks->find_task(std::string_view(exploring.row.read()->getSpec().getTask().cStr()));
  check(of != nullptr, "an exploration's task was looked up before it was started");
  exploring.planner = spawn_planner(self->system(),
                                    {.row = exploring.row,
                                     .of = *of,
                                     .target = state.options.target,
                                     .store = state.options.store,
                                     .make_policy = state.options.make_policy,
                                     .recall = recall,
                                     .incarnation = state.options.store->incarnation(),
                                     .generation = exploring.generation,
                                     .measure_winner = state.options.measure_winner},
                                    {.coder = state.coder,
                                     .curator = state.curator,
                                     .ledger = state.ledger,
                                     .profile_pool = state.profile_pool,
                                     .pools = {state.compile_pool, state.verify_pool, state.profile_pool},
                                     .watcher = exploring.watcher});
  self->monitor(exploring.planner);
}

void end_actors(self_pointer self) {
  auto& state = self->state;
  for (auto& [id, exploring] : state.explorations) self->send_exit(exploring.planner, caf::exit_reason::user_shutdown);
  auto addresses = std::move(state.workers);
  state.workers.clear();
  for (auto& [address, restart] : addresses)
    if (auto worker = caf::actor_cast<caf::actor>(address)) self->send_exit(worker, caf::exit_reason::user_shutdown);
  state.pillars.clear();
  self->send_exit(state.coder, caf::exit_reason::user_shutdown);
  for (auto* pool : {&state.compile_pool, &state.verify_pool, &state.profile_pool})
    self->send_exit(*pool, caf::exit_reason::user_shutdown);
  self->send_exit(state.ledger, caf::exit_reason::user_shutdown);
  self->send_exit(state.curator, caf::exit_reason::user_shutdown);
  self->quit();
}

void fatal(self_pointer self, const std::string& why) {
  if (self->state.stopping) return;
  self->state.stopping = true;
  log::failure("supervisor", "fatal", why);
  if (self->state.options.on_fatal) self->state.options.on_fatal(why);
  end_actors(self);
}

void restart_planner(self_pointer self, exploration_id id, const std::string& why) {
  auto& state = self->state;
  auto& exploring = state.explorations.at(id);
  ++state.planner_restarts;
  // What it began is interrupted below and begun anew: its old work would only be in the way.
  self->send(state.ledger, cancel_atom::value, id);
  for (auto* pool : {&state.compile_pool, &state.verify_pool, &state.profile_pool})
    self->send(*pool, cancel_atom::value, id);
  if (++exploring.generation > planner_restarts_max) {
    auto failed = exploration_row::changed(*exploring.row.read(), [&](wire::Exploration::Builder row) {
      row.setState(wire::ExplorationState::FAILED);
      row.setStopReason("its planner died " + std::to_string(planner_restarts_max) + " times, last: " + why);
    });
    self->request(state.curator, create_timeout, failed)
        .then([](uint32_t) {},
              [self](const caf::error& e) { log::failure("supervisor", "row-not-written", self->system().render(e)); });
    self->send(exploring.watcher, finished_atom::value, failed);
    state.explorations.erase(id);
    return;
  }
  log::warn("supervisor", "planner-restarted", "exploration " + id.text() + ": " + why);
  self->request(state.curator, create_timeout, interrupt_atom::value, id)
      .then(
          [self, id](uint32_t) {
            auto& state = self->state;
            auto known = state.explorations.find(id);
            if (known == state.explorations.end() || state.stopping) return;
            auto snapshot = state.options.store->snapshot();
            if (!snapshot) return fatal(self, snapshot.failure().what);
            auto row = (*snapshot)->exploration(id);
            if (!row) return fatal(self, row.failure().what);
            if (*row) known->second.row = **row;
            start_planner(self, id);
          },
          [self](const caf::error& failed) { fatal(self, self->system().render(failed)); });
}

void somebody_died(self_pointer self, const caf::down_msg& down) {
  auto& state = self->state;
  auto reason = self->system().render(down.reason);
  for (auto& [id, exploring] : state.explorations) {
    if (exploring.planner.address() != down.source) continue;
    if (down.reason && !state.stopping && down.reason != caf::exit_reason::user_shutdown)
      restart_planner(self, id, reason);
    else
      state.explorations.erase(id);
    if (state.stopping && state.explorations.empty()) end_actors(self);
    return;
  }
  if (state.stopping) return;
  if (auto worker = state.workers.find(down.source); worker != state.workers.end()) {
    auto restart = std::move(worker->second);
    state.workers.erase(worker);
    ++state.worker_restarts;
    log::warn("supervisor", "worker-restarted", reason);
    restart();
  } else if (auto pillar = state.pillars.find(down.source); pillar != state.pillars.end()) {
    fatal(self, pillar->second + " died: " + reason);
  }
}

task_record record_of(wire::Task::Reader of) {
  return task_record::build([&](wire::TaskRecord::Builder record) {
    record.setKey(of.getKey());
    record.setName(of.getName());
    record.setFamily(of.getFamily());
    record.setElementType(of.getElementType());
    record.setCheck(of.getCheck());
    record.setReferenceHash(content_hash(std::string_view(of.getReference().cStr())));
  });
}

/// Without an id: it was never stored.
exploration_row never_begun(const exploration_row& row, wire::ExplorationState state, const std::string& why) {
  return exploration_row::changed(*row.read(), [&](wire::Exploration::Builder change) {
    change.setState(state);
    change.setStopReason(why);
  });
}

caf::result<exploration_row> explore(self_pointer self, const exploration_row& row, const watcher_actor& watcher) {
  auto& state = self->state;
  auto view = row.read();
  const task* of = state.options.banks->find_task(std::string_view(view->getSpec().getTask().cStr()));
  if (!of) {
    std::string why = std::string("there is no task ") + view->getSpec().getTask().cStr();
    self->send(watcher, finished_atom::value, never_begun(row, wire::ExplorationState::FAILED, why));
    return caf::make_error(caf::sec::invalid_argument, why);
  }
  auto begin = [self, watcher](const exploration_row& stored) {
    auto id = id_of<exploration_id>(std::string_view(stored.read()->getId().cStr()));
    self->state.explorations[id] = {stored, watcher, {}, 0};
    start_planner(self, id);
  };
  if (view->hasId() && view->getId().size() > 0) {
    begin(row);
    return row;
  }
  auto promise = self->make_response_promise<exploration_row>();
  auto token = ++state.last_creation;
  state.creating[token] = {row, watcher, {}, 0};
  auto described = of->read();
  self->request(state.curator, create_timeout, create_atom::value, row, record_of(*described), state.options.target,
                state.options.toolchain, std::string(described->getReference().cStr()))
      .then(
          [self, begin, promise, token](const exploration_row& stored) mutable {
            self->state.creating.erase(token);
            if (!self->state.stopping) begin(stored);
            promise.deliver(stored);
          },
          [self, promise, row, watcher, token](caf::error& failed) mutable {
            self->state.creating.erase(token);
            self->send(watcher, finished_atom::value,
                       never_begun(row, wire::ExplorationState::FAILED, self->system().render(failed)));
            promise.deliver(std::move(failed));
          });
  return promise;
}

supervisor_actor::behavior_type supervisor(self_pointer self, supervisor_options options) {
  install_shell(self);
  self->state.options = std::move(options);
  self->set_down_handler([self](caf::down_msg& down) { somebody_died(self, down); });
  start_actors(self);
  return {
      [self](status_atom) {
        auto& state = self->state;
        return status_report::build([&](wire::Status::Builder status) {
          status.setActor(state.name);
          std::pair<const char*, uint64_t> counts[] = {{"explorations", state.explorations.size()},
                                                       {"workers", state.workers.size()},
                                                       {"worker_restarts", state.worker_restarts},
                                                       {"planner_restarts", state.planner_restarts}};
          auto counters = status.initCounters(std::size(counts));
          for (unsigned i = 0; i < std::size(counts); ++i) {
            counters[i].setName(counts[i].first);
            counters[i].setValue(static_cast<double>(counts[i].second));
          }
        });
      },
      [self](cancel_atom, exploration_id exploration) {
        auto known = self->state.explorations.find(exploration);
        if (known != self->state.explorations.end()) self->send(known->second.planner, cancel_atom::value, exploration);
      },
      [self](explore_atom, const exploration_row& row, const watcher_actor& watcher) {
        return explore(self, row, watcher);
      },
      [self](fatal_atom, const std::string& why) { fatal(self, why); },
      [self](stop_atom) {
        auto& state = self->state;
        // a full disk may hold them up for long; nothing of them is stored that could be resumed
        for (auto& [token, created] : std::exchange(state.creating, {}))
          self->send(created.watcher, finished_atom::value,
                     never_begun(created.row, wire::ExplorationState::RUNNING, "stopped before it was stored"));
        if (state.stopping) return end_actors(self);  // the second time: now
        state.stopping = true;
        if (state.explorations.empty()) return end_actors(self);
        for (auto& [id, exploring] : state.explorations) self->send(exploring.planner, interrupt_atom::value);
        self->delayed_send(self, planners_end_within, stop_atom::value);
      },
  };
}

}  // namespace

supervisor_actor spawn_supervisor(caf::actor_system& system, supervisor_options options) {
  return system.spawn(supervisor, std::move(options));
}

}  // namespace kope
