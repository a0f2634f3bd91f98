#include "actors/device_worker.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/actor_shell.hpp"
#include "actors/outcome_of.hpp"
#include "messages/parcel_caf.hpp"

namespace kope {

struct device_worker_state {
  static inline const char* name = "device_worker";

  device_worker_options options;
  stage_pool_actor pool;
  attempt_id attempt;  // in hand; none: idle
  cancel_flag cancel;
  uint64_t done = 0;

  ~device_worker_state() {
    if (cancel) *cancel = true;
  }
};

namespace {

using self_pointer = worker_actor::stateful_pointer<device_worker_state>;

void start(self_pointer self, const work& content) {
  auto& state = self->state;
  state.attempt = id_of<attempt_id>(std::string_view(content.read()->getPlan().getHeader().getAttempt().cStr()));
  auto me = caf::actor_cast<worker_actor>(self);
  state.cancel = state.options.threads->post(
      [me, content, judge = state.options.judge, stage = state.options.stage](const cancel_flag& cancel) {
        try {
          std::visit([&me](auto& end) { caf::anon_send(me, finished_atom::value, end); },
                     static_cast<const stage_end&>(judge(content, cancel)));
        } catch (const std::exception& e) {
          caf::anon_send(me, finished_atom::value,
                         outcome_of(*content.read(), wire::OutcomeClass::HARNESS_ERROR, stage, e.what()));
        }
      });
}

void go_idle(self_pointer self) {
  auto& state = self->state;
  state.attempt = {};
  state.cancel.reset();
  ++state.done;
  self->send(state.pool, ready_atom::value, caf::actor_cast<worker_actor>(self));
}

worker_actor::behavior_type device_worker(self_pointer self, device_worker_options options, stage_pool_actor pool) {
  install_shell(self);
  self->state.options = std::move(options);
  self->state.pool = std::move(pool);
  self->send(self->state.pool, ready_atom::value, caf::actor_cast<worker_actor>(self));
  return {
      [self](status_atom) {
        return status_report::build([&](wire::Status::Builder status) {
          status.setActor(self->state.options.name);
          auto counters = status.initCounters(1);
          counters[0].setName("done");
          counters[0].setValue(static_cast<double>(self->state.done));
          if (self->state.attempt) status.initLines(1).set(0, "attempt " + self->state.attempt.text());
        });
      },
      [self](cancel_atom, exploration_id exploration) {
        auto& state = self->state;
        if (state.attempt && exploration_of(state.attempt) == exploration) *state.cancel = true;
      },
      [self](const work& content) { start(self, content); },
      [self](cancel_atom, attempt_id attempt) {
        if (self->state.attempt == attempt) *self->state.cancel = true;
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

worker_actor spawn_device_worker(caf::actor_system& system, device_worker_options options, stage_pool_actor pool) {
  return system.spawn(device_worker, std::move(options), std::move(pool));
}

}  // namespace kope
