#include "actors/stage_pool/stage_pool.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>
#include <map>

#include "actors/actor_shell.hpp"
#include "actors/outcome_of.hpp"
#include "actors/stage_pool/pool_core.hpp"
#include "messages/enum_names.hpp"
#include "messages/parcel_caf.hpp"

namespace kope {
namespace {

// Leases are seconds to minutes, so a tick of half a second ends them early enough and costs nothing.
constexpr std::chrono::milliseconds tick_every{500};

}  // namespace

struct stage_pool_state {
  static inline const char* name = "stage_pool";

  stage_pool_options options;
  core_ledger_actor ledger;
  memory_curator_actor curator;
  stage_pool_actor next;
  pool_core core{std::chrono::seconds(1)};
  std::map<worker_number, worker_actor> workers;
  std::map<caf::actor_addr, worker_number> numbers;
  std::map<attempt_id, caf::typed_response_promise<outcome>> answers;  // of `measure` requests
  worker_number last_worker = 0;
  uint64_t last_request = 0;
  uint64_t dropped = 0, ended = 0, passed_on = 0;
};

namespace {

using self_pointer = stage_pool_actor::stateful_pointer<stage_pool_state>;

attempt_id attempt_of(const work& content) {
  return id_of<attempt_id>(std::string_view(content.read()->getPlan().getHeader().getAttempt().cStr()));
}

void ask_for_cores(self_pointer self) {
  auto& state = self->state;
  for (size_t wanted = state.core.grants_wanted(); wanted > 0; --wanted) {
    uint64_t request = ++state.last_request;
    state.core.grant_requested(request);
    self->send(state.ledger, acquire_atom::value, static_cast<uint8_t>(state.options.use), request,
               caf::actor_cast<stage_pool_actor>(self));
  }
}

/// The ledger counts what parcels weigh, from the first pool that has one to the last.
void weigh(self_pointer self, attempt_id attempt, const work& content) {
  self->send(self->state.ledger, hold_atom::value, attempt, uint64_t{content.bytes().size()});
}

void let_go(self_pointer self, attempt_id attempt) {
  self->send(self->state.ledger, hold_atom::value, attempt, uint64_t{0});
}

void report(self_pointer self, attempt_id attempt, const outcome& ended) {
  auto& state = self->state;
  ++state.ended;
  auto answer = state.answers.find(attempt);
  if (answer != state.answers.end()) {
    answer->second.deliver(ended);
    state.answers.erase(answer);
  } else {
    self->send(state.curator, ended);
  }
}

/// False: of another start of the program.
bool accept(self_pointer self, const work& content) {
  auto& state = self->state;
  auto attempt = attempt_of(content);
  if (content.read()->getPlan().getHeader().getIncarnation() != state.options.incarnation) {
    ++state.dropped;
    return false;
  }
  if (!state.core.submit({attempt, content, 0})) {
    ++state.dropped;
    return true;
  }
  // later pools get what the one before has weighed; the winner's measurement comes from its planner
  if (state.options.stage == wire::Stage::COMPILE || attempt == make_attempt_id(exploration_of(attempt), 0))
    weigh(self, attempt, content);
  ask_for_cores(self);
  return true;
}

worker_number sender_of(self_pointer self) {
  auto from = self->current_sender();
  if (!from) return 0;
  auto known = self->state.numbers.find(from->address());
  return known == self->state.numbers.end() ? 0 : known->second;
}

void worker_down(self_pointer self, const caf::down_msg& down) {
  auto& state = self->state;
  auto known = state.numbers.find(down.source);
  if (known == state.numbers.end()) return;
  auto lost = state.core.worker_down(known->second);
  state.workers.erase(known->second);
  state.numbers.erase(known);
  if (lost.request) self->send(state.ledger, release_atom::value, *lost.request);
  if (lost.gone) let_go(self, *lost.gone);
  if (lost.given_up) {
    log::failure("stage_pool", "work-given-up",
                 "attempt " + lost.given_up->attempt.text() + " ended two workers of the " +
                     enum_name(state.options.stage) + " stage; its work is kept in quarantine/");
    if (state.options.quarantine) state.options.quarantine(lost.given_up->content);
    let_go(self, lost.given_up->attempt);
    report(self, lost.given_up->attempt,
           outcome_of(*lost.given_up->content.read(), wire::OutcomeClass::HARNESS_ERROR, state.options.stage,
                      "two workers died on it"));
  }
  ask_for_cores(self);
}

stage_pool_actor::behavior_type stage_pool(self_pointer self, stage_pool_options options, core_ledger_actor ledger,
                                           memory_curator_actor curator, stage_pool_actor next) {
  install_shell(self);
  auto& state = self->state;
  state.core = pool_core(options.lease);
  state.options = std::move(options);
  state.ledger = std::move(ledger);
  state.curator = std::move(curator);
  state.next = std::move(next);
  self->set_down_handler([self](caf::down_msg& down) { worker_down(self, down); });
  self->delayed_send(self, tick_every, tick_atom::value);
  return {
      [self](status_atom) {
        auto& state = self->state;
        return status_report::build([&](wire::Status::Builder status) {
          status.setActor(enum_name(state.options.stage) + "_pool");
          std::pair<const char*, size_t> counts[] = {{"queued", state.core.queued()}, {"running", state.core.running()},
                                                     {"idle", state.core.idle()},     {"passed_on", state.passed_on},
                                                     {"ended_here", state.ended},     {"dropped", state.dropped}};
          auto counters = status.initCounters(std::size(counts));
          for (unsigned i = 0; i < std::size(counts); ++i) {
            counters[i].setName(counts[i].first);
            counters[i].setValue(static_cast<double>(counts[i].second));
          }
        });
      },
      [self](cancel_atom, exploration_id exploration) {
        auto& state = self->state;
        auto cancelled = state.core.cancel(exploration);
        for (auto worker : cancelled.workers) self->send(state.workers.at(worker), cancel_atom::value, exploration);
        for (auto& item : cancelled.dropped) {
          let_go(self, item.attempt);
          // whoever waits for an answer gets one; what was to be committed is closed by its open row
          if (state.answers.contains(item.attempt))
            report(self, item.attempt,
                   outcome_of(*item.content.read(), wire::OutcomeClass::INTERRUPTED, state.options.stage,
                              "its exploration was cancelled"));
        }
      },
      [self](const work& content) { accept(self, content); },
      [self](measure_atom, const work& content) -> caf::result<outcome> {
        if (!accept(self, content))
          return caf::make_error(caf::sec::invalid_argument, std::string("work of another start of the program"));
        auto promise = self->make_response_promise<outcome>();
        // a planner that was restarted asks anew: the newest question is answered
        self->state.answers.insert_or_assign(attempt_of(content), promise);
        return promise;
      },
      [self](ready_atom, const worker_actor& worker) {
        auto& state = self->state;
        auto [known, fresh] = state.numbers.emplace(worker.address(), state.last_worker + 1);
        if (fresh) {
          state.workers.emplace(++state.last_worker, worker);
          self->monitor(worker);
        }
        state.core.worker_ready(known->second);
        ask_for_cores(self);
      },
      [self](finished_atom, const work& content) {
        auto& state = self->state;
        auto attempt = attempt_of(content);
        auto ended = state.core.finished(attempt, sender_of(self));
        if (!ended) return;
        if (ended->expired)
          let_go(self, attempt);
        else
          weigh(self, attempt, content);  // before its core is free: an artifact may be larger than all before
        self->send(state.ledger, release_atom::value, ended->request);
        if (ended->expired) return;
        check(static_cast<bool>(state.next), "the last stage's workers end their work with an outcome");
        ++state.passed_on;
        self->send(state.next, content);
      },
      [self](finished_atom, const outcome& result) {
        auto& state = self->state;
        auto attempt = id_of<attempt_id>(std::string_view(result.read()->getAttempt().getHeader().getAttempt().cStr()));
        auto ended = state.core.finished(attempt, sender_of(self));
        if (!ended) return;
        let_go(self, attempt);
        self->send(state.ledger, release_atom::value, ended->request);
        if (!ended->expired) report(self, attempt, result);
      },
      [self](grant_atom, uint64_t request) {
        auto& state = self->state;
        auto out = state.core.granted(request, self->clock().now());
        if (out)
          self->send(state.workers.at(out->worker), out->content);
        else
          self->send(state.ledger, release_atom::value, request);
        ask_for_cores(self);
      },
      [self](tick_atom) {
        auto& state = self->state;
        for (auto& late : state.core.expire(self->clock().now())) {
          report(self, late.item.attempt,
                 outcome_of(*late.item.content.read(), wire::OutcomeClass::TIMED_OUT, state.options.stage,
                            "the stage's lease of " + std::to_string(state.options.lease.count() / 1000) + " s ended"));
          self->send(state.workers.at(late.worker), cancel_atom::value, late.item.attempt);
        }
        self->delayed_send(self, tick_every, tick_atom::value);
      },
  };
}

}  // namespace

stage_pool_actor spawn_stage_pool(caf::actor_system& system, stage_pool_options options, core_ledger_actor ledger,
                                  memory_curator_actor curator, stage_pool_actor next) {
  return system.spawn(stage_pool, std::move(options), std::move(ledger), std::move(curator), std::move(next));
}

}  // namespace kope
