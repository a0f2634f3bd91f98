#include "actors/core_ledger/core_ledger.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>

#include "actors/actor_shell.hpp"
#include "actors/core_ledger/admission_core.hpp"
#include "actors/core_ledger/ledger_core.hpp"
#include "messages/parcel_caf.hpp"

namespace kope {
namespace {

// How long another kope's measurement is waited for before the lock is tried again: a comparison takes 0.2 to 2 s.
constexpr std::chrono::milliseconds machine_lock_retry{100};

struct client {
  uint64_t request = 0;
  stage_pool_actor pool;
};

}  // namespace

struct core_ledger_state {
  static inline const char* name = "core_ledger";

  core_ledger_options options;
  ledger_core core{1};
  admission_core admission{1};
  std::map<exploration_id, planner_actor> planners;                  // that asked to begin attempts
  std::map<std::pair<caf::actor_addr, uint64_t>, uint64_t> numbers;  // (pool, its request) -> ours
  std::map<uint64_t, client> clients;
  uint64_t last_number = 0;
  bool holds_machine_lock = false;
  bool ticking = false;
};

namespace {

using self_pointer = core_ledger_actor::stateful_pointer<core_ledger_state>;

void admit(self_pointer self) {
  auto& state = self->state;
  if (state.core.paused()) return;
  for (auto [exploration, count] : state.admission.admit(state.core.compiling()))
    self->send(state.planners.at(exploration), admit_atom::value, count);
}

void grant(self_pointer self) {
  auto& state = self->state;
  if (state.holds_machine_lock && !state.core.measuring()) {
    state.holds_machine_lock = false;
    state.options.release_machine_lock();
  }
  auto started = state.core.grant(
      [&state] {
        if (!state.holds_machine_lock) state.holds_machine_lock = state.options.try_machine_lock();
        return state.holds_machine_lock;
      },
      [&state](size_t compiling) { return state.admission.room_to_compile(compiling); });
  for (uint64_t number : started) {
    auto& to = state.clients.at(number);
    self->send(to.pool, grant_atom::value, to.request);
  }
  if (state.core.machine_busy() && !state.ticking) {
    state.ticking = true;
    self->delayed_send(self, machine_lock_retry, tick_atom::value);
  }
}

status_report status_of(self_pointer self) {
  auto& core = self->state.core;
  auto& admission = self->state.admission;
  constexpr double mebibyte = 1 << 20;
  std::pair<const char*, double> counts[] = {
      {"granted", static_cast<double>(core.granted())},
      {"waiting", static_cast<double>(core.waiting())},
      {"attempts_in_flight", static_cast<double>(admission.in_flight())},
      {"attempts_in_flight_max", admission.attempts_max()},
      {"attempts_waiting_to_begin", static_cast<double>(admission.waiting())},
      {"parcel_mebibytes", static_cast<double>(admission.bytes(core.compiling())) / mebibyte},
      {"parcel_mebibytes_max", bytes_in_flight_max / mebibyte}};
  return status_report::build([&](wire::Status::Builder status) {
    status.setActor(self->state.name);
    auto counters = status.initCounters(std::size(counts));
    for (unsigned i = 0; i < std::size(counts); ++i) {
      counters[i].setName(counts[i].first);
      counters[i].setValue(counts[i].second);
    }
    status.initLines(1).set(0, core.paused() ? "paused" : core.measuring() ? "measuring" : "sharing cores");
  });
}

core_ledger_actor::behavior_type core_ledger(self_pointer self, core_ledger_options options) {
  install_shell(self);
  self->state.core = ledger_core(options.cores);
  self->state.admission = admission_core(options.cores);
  self->state.options = std::move(options);
  return {
      [self](status_atom) { return status_of(self); },
      [self](cancel_atom, exploration_id exploration) {  // cores are asked for by pools, which withdraw their requests
        self->state.planners.erase(exploration);
        self->state.admission.forget(exploration);
        grant(self);
        admit(self);
      },
      [self](acquire_atom, uint8_t use, uint64_t request, const stage_pool_actor& pool) {
        auto& state = self->state;
        uint64_t number = ++state.last_number;
        state.numbers[{pool.address(), request}] = number;
        state.clients[number] = {request, pool};
        state.core.request({number, static_cast<core_use>(use)});
        grant(self);
      },
      [self](release_atom, uint64_t request) {
        auto& state = self->state;
        auto from = self->current_sender();
        auto known = state.numbers.find({from ? from->address() : caf::actor_addr(), request});
        if (known == state.numbers.end()) return;
        state.core.release(known->second);
        state.clients.erase(known->second);
        state.numbers.erase(known);
        grant(self);
      },
      [self](admit_atom, exploration_id exploration, uint32_t more, const planner_actor& planner) {
        self->state.planners[exploration] = planner;
        self->state.admission.want(exploration, more);
        admit(self);
      },
      [self](leave_atom, exploration_id exploration, uint32_t ended) {
        self->state.admission.leave(exploration, ended);
        admit(self);
      },
      [self](hold_atom, attempt_id attempt, uint64_t bytes) {
        self->state.admission.hold(attempt, bytes);
        grant(self);
        admit(self);
      },
      [self](pause_atom, bool paused) {
        self->state.core.pause(paused);
        grant(self);
        admit(self);
      },
      [self](tick_atom) {
        self->state.ticking = false;
        grant(self);
      },
  };
}

}  // namespace

core_ledger_actor spawn_core_ledger(caf::actor_system& system, core_ledger_options options) {
  return system.spawn(core_ledger, std::move(options));
}

}  // namespace kope
