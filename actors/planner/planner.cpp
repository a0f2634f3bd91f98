#include "actors/planner/planner.hpp"

#include <algorithm>
#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <chrono>
#include <utility>

#include "actors/actor_shell.hpp"
#include "actors/planner/exploration_core.hpp"
#include "messages/content_hash.hpp"
#include "messages/enum_names.hpp"
#include "messages/parcel_caf.hpp"

namespace kope {
namespace {

using namespace std::chrono_literals;
constexpr auto tick_every = 500ms;      // the time budget is in seconds
constexpr auto row_every = 10s;         // so that a killed program loses at most this much of `spent seconds`
constexpr auto describe_timeout = 30s;  // a coder answers from memory
constexpr auto write_timeout = 10min;   // a full disk is waited out
constexpr auto measure_timeout = 5min;  // behind other explorations' measurements

}  // namespace

struct planner_state {
  static inline const char* name = "planner";

  planner_options options;
  planner_neighbours neighbours;
  exploration_id id;
  std::unique_ptr<exploration_core> core;  // once the coder has described its space
  std::chrono::steady_clock::time_point started;
  std::chrono::steady_clock::time_point row_written;
  double spent_before = 0;
  uint32_t asked = 0;  // attempts that the ledger has not admitted yet
  bool ending = false;
  bool measuring = false;  // the winner; ending as well
};

namespace {

using self_pointer = planner_actor::stateful_pointer<planner_state>;

double spent_seconds(self_pointer self) {
  std::chrono::duration<double> here = self->clock().now() - self->state.started;
  return self->state.spent_before + here.count();
}

/// The last row, its readers, then this actor.
void finish(self_pointer self, const exploration_row& last) {
  self->state.ending = true;
  self->send(self->state.neighbours.ledger, cancel_atom::value, self->state.id);
  self->request(self->state.neighbours.curator, write_timeout, last)
      .then(
          [self, last](uint32_t) {
            self->send(self->state.neighbours.curator, cancel_atom::value, self->state.id);
            self->send(self->state.neighbours.watcher, finished_atom::value, last);
            self->quit();
          },
          [self, last](const caf::error& failed) {
            log::failure("planner", "row-not-written", self->system().render(failed));
            self->send(self->state.neighbours.watcher, finished_atom::value, last);
            self->quit();
          });
}

exploration_row with_reason(const exploration_row& row, const std::string& why) {
  return exploration_row::changed(*row.read(), [&](wire::Exploration::Builder change) { change.setStopReason(why); });
}

void fail(self_pointer self, const std::string& why) {
  log::failure("planner", "failed", "exploration " + self->state.id.text() + ": " + why);
  auto& row = self->state.options.row;
  finish(self, exploration_row::changed(*row.read(), [&](wire::Exploration::Builder change) {
           change.setState(wire::ExplorationState::FAILED);
           change.setStopReason(why);
         }));
}

/// Reads the incumbent's source from the graph: plans carry it for whoever has no artifact of it.
result<unit> load_incumbent(self_pointer self) {
  auto& state = self->state;
  auto id = state.core->incumbent();
  if (!id) return unit{};
  auto snapshot = state.options.store->snapshot();
  if (!snapshot) return snapshot.failure();
  auto attempt = (*snapshot)->attempt(id);
  if (!attempt) return attempt.failure();
  if (!*attempt) return error{errc::not_found, "the incumbent " + id.text() + " is not in the store"};
  auto view = (*attempt)->read();
  auto source = (*snapshot)->source(std::string_view(view->getSourceHash().cStr()));
  if (!source) return source.failure();
  if (!*source) return error{errc::not_found, "the source of the incumbent " + id.text() + " is not in the store"};
  std::vector<std::string> flags;
  for (auto flag : view->getFlags()) flags.emplace_back(flag.cStr());
  state.core->set_incumbent_source(std::move(**source), std::move(flags));
  return unit{};
}

/// `again`: once more when it was cancelled for somebody else's sake, a planner that died while it was measured.
void measure_winner(self_pointer self, const std::string& why, bool again = true) {
  auto& state = self->state;
  auto row = with_reason(state.core->row(spent_seconds(self), wire::ExplorationState::FINISHED), why);
  if (!state.core->incumbent() || !state.options.measure_winner) {
    finish(self, row);
    return;
  }
  state.ending = state.measuring = true;
  auto snapshot = state.options.store->snapshot();
  check(snapshot.ok(), "the planner can read its store");
  auto attempt = (*snapshot)->attempt(state.core->incumbent());
  check(attempt.ok() && attempt->has_value(), "the incumbent was committed");
  auto winner = (**attempt).read();
  auto source = (*snapshot)->source(std::string_view(winner->getSourceHash().cStr()));
  check(source.ok() && source->has_value(), "a committed attempt's source is stored");
  auto spec_row = row.read();
  auto spec = spec_row->getSpec();
  // Attempt number 0 is no attempt: against the reference, answered to us, not committed.
  auto final_work = work::build([&](wire::Work::Builder built) {
    auto plan = built.initPlan();
    auto header = plan.initHeader();
    header.setAttempt(make_attempt_id(state.id, 0).text());
    header.setExploration(state.id.text());
    header.setIncarnation(state.options.incarnation);
    header.setGeneration(state.options.generation);
    plan.setTask(spec.getTask());
    plan.setTimedCase(spec.getTimedCase());
    plan.setAction("measure_winner");
    plan.setParent(state.core->incumbent().text());
    plan.setToolchain(spec.getToolchain());
    auto candidate = built.initCandidate();
    candidate.setSource(**source);
    candidate.setSourceHash(winner->getSourceHash());
    candidate.setNormalHash(winner->getNormalHash());
    candidate.setFlags(winner->getFlags());
  });
  self->request(state.neighbours.profile_pool, measure_timeout, measure_atom::value, final_work)
      .then(
          [self, row, why, again](const outcome& measured) {
            if (!std::exchange(self->state.measuring, false)) return;  // interrupted meanwhile
            auto view = measured.read();
            auto attempt = view->getAttempt();
            if (again && attempt.getOutcome() == wire::OutcomeClass::INTERRUPTED)
              return measure_winner(self, why, false);
            finish(self, exploration_row::changed(*row.read(), [&](wire::Exploration::Builder change) {
                     if (attempt.getOutcome() == wire::OutcomeClass::SUSPECT) {
                       change.setIncumbent("");  // no winner: nobody may take it for one, now or from memory
                       change.setStopReason(std::string(change.getStopReason().asReader().cStr()) +
                                            "; the best attempt is suspect: " + attempt.getDiagnostics().cStr());
                     } else if (attempt.hasPromotion()) {
                       change.setSpeedup(attempt.getPromotion());
                       change.getSpeedup().setAgainst("reference");
                     } else {
                       change.setState(wire::ExplorationState::FAILED);
                       change.setStopReason("the winner could not be measured against the reference: " +
                                            enum_name(attempt.getOutcome()) + ", " + attempt.getDiagnostics().cStr());
                     }
                   }));
          },
          [self, row](const caf::error& failed) {
            if (!std::exchange(self->state.measuring, false)) return;
            finish(self, exploration_row::changed(*row.read(), [&](wire::Exploration::Builder change) {
                     change.setState(wire::ExplorationState::FAILED);
                     change.setStopReason("the winner could not be measured against the reference: " +
                                          self->system().render(failed));
                   }));
          });
}

/// So many attempts may begin: tickets that are free get a plan, what is too many goes back.
void begin_attempts(self_pointer self, uint32_t admitted) {
  auto& state = self->state;
  double spent = spent_seconds(self);
  for (; admitted > 0; --admitted) {
    auto next = state.core->next(spent);
    if (!next) break;
    auto view = next->read();
    self->send(state.neighbours.curator, open_row::build([&](wire::OpenRow::Builder row) {
                 row.setHeader(view->getHeader());
                 row.setPlan(*view);
                 // without the incumbent's text: an open row is small, and the retry gets a fresh incumbent anyway
                 row.getPlan().getIncumbent().setSource("");
               }));
    self->send(state.neighbours.coder, *next);
  }
  if (admitted > 0) self->send(state.neighbours.ledger, leave_atom::value, state.id, admitted);
}

/// The end is noticed here, and that the row is due.
void look_after(self_pointer self) {
  auto& state = self->state;
  double spent = spent_seconds(self);
  if (auto why = state.core->stop_reason(spent)) {
    measure_winner(self, *why);
    return;
  }
  auto now = self->clock().now();
  if (state.core->row_due() || now - state.row_written >= row_every) {
    state.row_written = now;
    self->request(state.neighbours.curator, write_timeout, state.core->row(spent, wire::ExplorationState::RUNNING))
        .then([](uint32_t) {},
              [self](const caf::error& failed) {
                log::failure("planner", "row-not-written", self->system().render(failed));
              });
  }
}

/// After everything that may have freed a ticket. Not after an admission: a policy that has no proposal would be asked
/// again and again.
void go_on(self_pointer self) {
  auto& state = self->state;
  if (!state.core || state.ending) return;
  uint32_t free = state.core->free_tickets(spent_seconds(self));
  if (free > state.asked) {
    self->send(state.neighbours.ledger, admit_atom::value, state.id, free - state.asked,
               caf::actor_cast<planner_actor>(self));
    state.asked = free;
  }
  look_after(self);
}

/// The row's snapshot, then the outcomes after it: at most 64 and the tickets.
result<unit> catch_up(self_pointer self) {
  auto& state = self->state;
  auto snapshot = state.options.store->snapshot();
  if (!snapshot) return snapshot.failure();
  auto row = state.options.row.read();
  auto step = static_cast<uint64_t>(row->getCoveredStep());
  size_t limit = 2 * (outcomes_per_row + row->getSpec().getTickets());
  while (true) {
    auto attempts = (*snapshot)->attempts_after(state.id, step, limit);
    if (!attempts) return attempts.failure();
    for (auto& attempt : *attempts) {
      auto view = attempt.read();
      state.core->learn(*view, view->getStep());
      step = static_cast<uint64_t>(view->getStep());
    }
    if (attempts->size() < limit) break;
  }
  return load_incumbent(self);
}

/// The family's own starting points left out, where the specification says so.
parameter_space searched_space(const parameter_space& space, wire::ExplorationSpec::Reader spec) {
  if (spec.getStartingPoints()) return space;
  auto view = space.read();
  return parameter_space::changed(*view, [](wire::ParameterSpace::Builder change) { change.initStartingPoints(0); });
}

/// A new exploration begins with what memory recalls and this version of the space still has.
result<unit> recall(self_pointer self, const parameter_space& space) {
  auto& state = self->state;
  auto row = state.options.row.read();
  bool is_new = row->getPolicySnapshot().size() == 0 && row->getCoveredStep() == 0;
  if (!state.options.recall || !is_new) return unit{};
  auto snapshot = state.options.store->snapshot();
  if (!snapshot) return snapshot.failure();
  auto of = state.options.of.read();
  auto recalled = state.options.recall(**snapshot, row->getSpec(), *of);
  if (!recalled) return recalled.failure();
  std::vector<std::pair<point, attempt_id>> points;
  auto ranges = space.read();
  for (auto& attempt : *recalled) {
    auto view = attempt.read();
    auto at = point_of(*ranges, view->getParameters());
    if (!at || !is_valid(*ranges, *at)) continue;
    points.emplace_back(*at, id_of<attempt_id>(std::string_view(view->getHeader().getAttempt().cStr())));
  }
  state.core->begin_with(std::move(points));
  return unit{};
}

void begin(self_pointer self, const parameter_space& described) {
  auto& state = self->state;
  auto row = state.options.row.read();
  auto space = searched_space(described, row->getSpec());
  std::string policy_name = row->getSpec().getPolicy().cStr();
  auto chosen = state.options.make_policy(policy_name, space);
  if (!chosen) return fail(self, chosen.failure().what);
  auto core = exploration_core::open(state.options.row, space, std::move(*chosen), state.options.incarnation,
                                     state.options.generation);
  if (!core) return fail(self, core.failure().what);
  state.core = std::move(*core);
  if (auto recalled = recall(self, space); !recalled) return fail(self, recalled.failure().what);
  auto ready = catch_up(self);
  if (!ready) return fail(self, ready.failure().what);
  state.started = state.row_written = self->clock().now();
  go_on(self);
}

void cancel(self_pointer self) {
  auto& state = self->state;
  // what measures the winner is cancelled with the pools, and its end is nobody's any more
  if (state.ending && !std::exchange(state.measuring, false)) return;
  state.ending = true;
  for (auto& pool : state.neighbours.pools) self->send(pool, cancel_atom::value, state.id);
  self->send(state.neighbours.coder, cancel_atom::value, state.id);
  auto row = state.core ? state.core->row(spent_seconds(self), wire::ExplorationState::CANCELLED)
                        : exploration_row::changed(*state.options.row.read(), [](wire::Exploration::Builder change) {
                            change.setState(wire::ExplorationState::CANCELLED);
                          });
  row = with_reason(row, "cancelled");
  self->request(state.neighbours.curator, write_timeout, interrupt_atom::value, state.id)
      .then([self, row](uint32_t) { finish(self, row); }, [self, row](const caf::error&) { finish(self, row); });
}

planner_actor::behavior_type planner(self_pointer self, planner_options options, planner_neighbours neighbours) {
  install_shell(self);
  auto& state = self->state;
  state.options = std::move(options);
  state.neighbours = std::move(neighbours);
  state.id = id_of<exploration_id>(std::string_view(state.options.row.read()->getId().cStr()));
  state.spent_before = state.options.row.read()->getSpentSeconds();
  state.started = self->clock().now();
  self->send(state.neighbours.curator, own_atom::value, state.id, caf::actor_cast<planner_actor>(self));
  self->request(state.neighbours.coder, describe_timeout, describe_atom::value, state.options.of, state.options.target)
      .then([self](const parameter_space& space) { begin(self, space); },
            [self](const caf::error& failed) { fail(self, "the coder: " + self->system().render(failed)); });
  self->delayed_send(self, tick_every, tick_atom::value);
  return {
      [self](status_atom) {
        auto& state = self->state;
        return status_report::build([&](wire::Status::Builder status) {
          status.setActor("planner " + state.id.text());
          auto counters = status.initCounters(3);
          counters[0].setName("in_flight");
          counters[0].setValue(state.core ? static_cast<double>(state.core->in_flight()) : 0);
          counters[1].setName("attempts");
          counters[1].setValue(state.core ? state.core->spent_attempts() : 0);
          counters[2].setName("spent_seconds");
          counters[2].setValue(spent_seconds(self));
        });
      },
      [self](cancel_atom, exploration_id exploration) {
        if (exploration == self->state.id) cancel(self);
      },
      [self](const committed& message) {
        auto& state = self->state;
        if (!state.core || state.ending) return;
        auto view = message.read();
        auto learned = state.core->learn(view->getAttempt(), view->getStep());
        if (learned.ours) self->send(state.neighbours.ledger, leave_atom::value, state.id, uint32_t{1});
        if (learned.new_incumbent) {
          auto loaded = load_incumbent(self);
          if (!loaded) return fail(self, loaded.failure().what);
        }
        if (!view->getDuplicate()) self->send(state.neighbours.watcher, message);
        go_on(self);
      },
      [self](admit_atom, uint32_t count) {
        auto& state = self->state;
        if (!state.core || state.ending) return self->send(state.neighbours.ledger, leave_atom::value, state.id, count);
        state.asked -= std::min(count, state.asked);
        begin_attempts(self, count);
        look_after(self);
      },
      [self](tick_atom) {
        go_on(self);
        self->delayed_send(self, tick_every, tick_atom::value);
      },
      [self](interrupt_atom) {
        auto& state = self->state;
        // a winner that is being measured is measured again by the next start
        if (state.ending && !std::exchange(state.measuring, false)) return;
        if (!state.core) return finish(self, state.options.row);
        finish(self, state.core->row(spent_seconds(self), wire::ExplorationState::RUNNING));
      },
  };
}

}  // namespace

planner_actor spawn_planner(caf::actor_system& system, planner_options options, planner_neighbours neighbours) {
  return system.spawn(planner, std::move(options), std::move(neighbours));
}

}  // namespace kope
