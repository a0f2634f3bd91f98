#include "actors/stage_worker.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/actor_shell.hpp"
#include "actors/outcome_of.hpp"
#include "messages/parcel_caf.hpp"

namespace kope {

struct stage_worker_state {
  static inline const char* name = "stage_worker";

  std::string named;
  begin_stage begin;
  stage_pool_actor pool;
  attempt_id attempt;  // in hand; none: idle
  end_early cancel;
  uint64_t done = 0;

  ~stage_worker_state() {
    if (cancel) cancel();
  }
};

namespace {

using self_pointer = worker_actor::stateful_pointer<stage_worker_state>;

void begin(self_pointer self, const work& content) {
  auto& state = self->state;
  state.attempt = id_of<attempt_id>(std::string_view(content.read()->getPlan().getHeader().getAttempt().cStr()));
  state.cancel = state.begin(content, caf::actor_cast<worker_actor>(self));
}

void go_idle(self_pointer self) {
  auto& state = self->state;
  state.attempt = {};
  state.cancel = nullptr;
  ++state.done;
  self->send(state.pool, ready_atom::value, caf::actor_cast<worker_actor>(self));
}

worker_actor::behavior_type stage_worker(self_pointer self, std::string name, begin_stage with, stage_pool_actor pool) {
  install_shell(self);
  self->state.named = std::move(name);
  self->state.begin = std::move(with);
  self->state.pool = std::move(pool);
  self->send(self->state.pool, ready_atom::value, caf::actor_cast<worker_actor>(self));
  return {
      [self](status_atom) {
        return status_report::build([&](wire::Status::Builder status) {
          status.setActor(self->state.named);
          auto counters = status.initCounters(1);
          counters[0].setName("done");
          counters[0].setValue(static_cast<double>(self->state.done));
          if (self->state.attempt) status.initLines(1).set(0, "attempt " + self->state.attempt.text());
        });
      },
      [self](cancel_atom, exploration_id exploration) {
        auto& state = self->state;
        if (state.cancel && exploration_of(state.attempt) == exploration) state.cancel();
      },
      [self](const work& content) { begin(self, content); },
      [self](cancel_atom, attempt_id attempt) {
        auto& state = self->state;
        if (state.cancel && state.attempt == attempt) state.cancel();
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

begin_stage on_device_thread(std::shared_ptr<device_threads> threads, wire::Stage stage, stage_judge judge) {
  return
      [threads = std::move(threads), stage, judge = std::move(judge)](const work& content, const worker_actor& tell) {
        auto flag = threads->post([stage, judge, content, tell](const cancel_flag& cancel) {
          try {
            std::visit([&tell](auto& end) { caf::anon_send(tell, finished_atom::value, end); },
                       static_cast<const stage_end&>(judge(content, cancel)));
          } catch (const std::exception& e) {
            caf::anon_send(tell, finished_atom::value,
                           outcome_of(*content.read(), wire::OutcomeClass::HARNESS_ERROR, stage, e.what()));
          }
        });
        return end_early([flag] { *flag = true; });
      };
}

worker_actor spawn_stage_worker(caf::actor_system& system, std::string name, begin_stage begin, stage_pool_actor pool) {
  return system.spawn(stage_worker, std::move(name), std::move(begin), std::move(pool));
}

}  // namespace kope
