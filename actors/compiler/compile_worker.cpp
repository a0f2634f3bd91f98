#include "actors/compiler/compile_worker.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/actor_shell.hpp"
#include "actors/evaluation/kernel_shim.hpp"
#include "actors/outcome_of.hpp"
#include "messages/parcel_caf.hpp"

namespace kope {

struct compile_worker_state {
  static inline const char* name = "compile_worker";

  compile_worker_options options;
  stage_pool_actor pool;
  attempt_id attempt;  // in hand; none: idle
  uint64_t ticket = 0;
  uint64_t done = 0;

  ~compile_worker_state() {
    if (attempt && options.tool) options.tool->cancel(ticket);
  }
};

namespace {

using self_pointer = worker_actor::stateful_pointer<compile_worker_state>;

/// What the compiler said, as the next message. Runs on a tool thread.
void deliver(const worker_actor& to, const work& content, const result<build>& built) {
  auto view = content.read();
  auto ended = [&](wire::OutcomeClass result, std::string_view why) {
    caf::anon_send(to, finished_atom::value, outcome_of(*view, result, wire::Stage::COMPILE, why));
  };
  if (!built) {
    auto& failure = built.failure();
    return ended(failure.code == errc::timed_out   ? wire::OutcomeClass::TIMED_OUT
                 : failure.code == errc::cancelled ? wire::OutcomeClass::INTERRUPTED
                                                   : wire::OutcomeClass::HARNESS_ERROR,
                 failure.what);
  }
  auto made = built->read();
  auto next = work::changed(*view, [&](wire::Work::Builder change) { change.setBuild(*made); });
  if (made->getSucceeded())
    caf::anon_send(to, finished_atom::value, next);
  else
    caf::anon_send(to, finished_atom::value,
                   outcome_of(*next.read(), wire::OutcomeClass::BUILD_FAILED, wire::Stage::COMPILE,
                              std::string_view(made->getDiagnostics().cStr())));
}

void compile(self_pointer self, const work& content) {
  auto& state = self->state;
  auto view = content.read();
  auto plan = view->getPlan();
  state.attempt = id_of<attempt_id>(std::string_view(plan.getHeader().getAttempt().cStr()));
  auto me = caf::actor_cast<worker_actor>(self);
  const task* of = state.options.find_task(std::string_view(plan.getTask().cStr()));
  if (!of) {
    deliver(me, content, error{errc::not_found, std::string("there is no task ") + plan.getTask().cStr()});
    return;
  }
  auto around = candidate_surrounding(*of->read());
  auto candidate = view->getCandidate();
  compile_request request{.source = candidate.getSource().cStr(),
                          .prologue = std::move(around.prologue),
                          .epilogue = std::move(around.epilogue)};
  for (auto flag : candidate.getFlags()) request.flags.emplace_back(flag.cStr());
  auto started = state.options.tool->compile(std::move(request),
                                             [me, content](result<build> built) { deliver(me, content, built); });
  if (started)
    state.ticket = *started;
  else
    deliver(me, content, started.failure());
}

void go_idle(self_pointer self) {
  auto& state = self->state;
  state.attempt = {};
  ++state.done;
  self->send(state.pool, ready_atom::value, caf::actor_cast<worker_actor>(self));
}

worker_actor::behavior_type compile_worker(self_pointer self, compile_worker_options options, stage_pool_actor pool) {
  install_shell(self);
  self->state.options = std::move(options);
  self->state.pool = std::move(pool);
  self->send(self->state.pool, ready_atom::value, caf::actor_cast<worker_actor>(self));
  return {
      [self](status_atom) {
        return status_report::build([&](wire::Status::Builder status) {
          status.setActor(self->state.name);
          auto counters = status.initCounters(1);
          counters[0].setName("done");
          counters[0].setValue(static_cast<double>(self->state.done));
          if (self->state.attempt) status.initLines(1).set(0, "attempt " + self->state.attempt.text());
        });
      },
      [self](cancel_atom, exploration_id exploration) {
        auto& state = self->state;
        if (state.attempt && exploration_of(state.attempt) == exploration) state.options.tool->cancel(state.ticket);
      },
      [self](const work& content) { compile(self, content); },
      [self](cancel_atom, attempt_id attempt) {
        if (self->state.attempt == attempt) self->state.options.tool->cancel(self->state.ticket);
      },
      [self](finished_atom, const work& content) {
        self->send(self->state.pool, finished_atom::value, content);
        go_idle(self);
      },
      [self](finished_atom, const outcome& ended) {
        self->send(self->state.pool, finished_atom::value, ended);
        go_idle(self);
      },
  };
}

}  // namespace

worker_actor spawn_compile_worker(caf::actor_system& system, compile_worker_options options, stage_pool_actor pool) {
  return system.spawn(compile_worker, std::move(options), std::move(pool));
}

}  // namespace kope
