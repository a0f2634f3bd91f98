// Probes: one for each interface of messages/actors.hpp that a test puts in a neighbour's place.
#pragma once

#include "tests/support/actor_fixture.hpp"

namespace kope::testing {

inline memory_curator_actor curator_probe(caf::actor_system& system, std::shared_ptr<seen> to) {
  return system.spawn([to](memory_curator_actor::pointer) -> memory_curator_actor::behavior_type {
    return {[](status_atom) { return empty_status(); },
            [](cancel_atom, exploration_id) {},
            [to](create_atom, const exploration_row& row, const task_record&, const target_record&,
                 const toolchain_record&, const std::string&) {
              to->rows.push_back(row);
              return row;
            },
            [](own_atom, exploration_id, const planner_actor&) {},
            [to](const open_row& row) { to->opened.push_back(row); },
            [to](const outcome& ended) { to->outcomes.push_back(ended); },
            [to](const exploration_row& row) -> uint32_t {
              to->rows.push_back(row);
              return 1;
            },
            [](interrupt_atom, exploration_id) -> uint32_t { return 0; },
            [](flush_atom) {}};
  });
}

/// Grants at once when `generous`, else only notes the request.
inline core_ledger_actor ledger_probe(caf::actor_system& system, std::shared_ptr<seen> to, bool generous) {
  return system.spawn([to, generous](core_ledger_actor::pointer self) -> core_ledger_actor::behavior_type {
    return {[](status_atom) { return empty_status(); },
            [to](cancel_atom, exploration_id id) { to->cancelled.push_back(id); },
            [self, to, generous](acquire_atom, uint8_t, uint64_t request, const stage_pool_actor& pool) {
              to->requests.push_back(request);
              if (generous) self->send(pool, grant_atom::value, request);
            },
            [to](release_atom, uint64_t request) { to->releases.push_back(request); },
            [self, to, generous](admit_atom, exploration_id, uint32_t more, const planner_actor& planner) {
              to->wanted.push_back(more);
              if (generous) self->send(planner, admit_atom::value, more);
            },
            [to](leave_atom, exploration_id, uint32_t ended) { to->left.push_back(ended); },
            [to](hold_atom, attempt_id attempt, uint64_t bytes) { to->held[attempt] = bytes; },
            [to](pause_atom, bool paused) { to->pauses.push_back(paused); },
            [](tick_atom) {}};
  });
}

inline stage_pool_actor pool_probe(caf::actor_system& system, std::shared_ptr<seen> to) {
  return system.spawn([to](stage_pool_actor::pointer) -> stage_pool_actor::behavior_type {
    return {[](status_atom) { return empty_status(); },
            [to](cancel_atom, exploration_id id) { to->cancelled.push_back(id); },
            [to](const work& content) { to->works.push_back(content); },
            [to](measure_atom, const work& content) {
              to->works.push_back(content);
              return outcome::build([&](wire::Outcome::Builder made) {
                auto attempt = made.initAttempt();
                attempt.setHeader(content.read()->getPlan().getHeader());
                attempt.setOutcome(wire::OutcomeClass::IMPROVED);
                auto promotion = attempt.initPromotion();
                promotion.setRatio(42);
                promotion.setLow(41);
                promotion.setHigh(43);
                promotion.setPairs(9);
                promotion.setAgainst("reference");
              });
            },
            [](ready_atom, const worker_actor&) {},
            [](finished_atom, const work&) {},
            [](finished_atom, const outcome&) {},
            [to](grant_atom, uint64_t request) { to->requests.push_back(request); },
            [](tick_atom) {}};
  });
}

/// Takes work and does nothing with it until told; throws when `deadly`.
inline worker_actor worker_probe(caf::actor_system& system, std::shared_ptr<seen> to, bool deadly = false) {
  return system.spawn([to, deadly](worker_actor::pointer) -> worker_actor::behavior_type {
    return {[](status_atom) { return empty_status(); },
            [to](cancel_atom, exploration_id id) { to->cancelled.push_back(id); },
            [to, deadly](const work& content) {
              to->works.push_back(content);
              if (deadly) throw std::runtime_error("this work kills its worker");
            },
            [to](cancel_atom, attempt_id id) { to->cancelled_attempts.push_back(id); },
            [](finished_atom, const work&) {},
            [](finished_atom, const outcome&) {}};
  });
}

inline coder_actor coder_probe(caf::actor_system& system, std::shared_ptr<seen> to, parameter_space space) {
  return system.spawn([to, space](coder_actor::pointer) -> coder_actor::behavior_type {
    return {[](status_atom) { return empty_status(); },
            [to](cancel_atom, exploration_id id) { to->cancelled.push_back(id); },
            [space](describe_atom, const task&, const target_record&) { return space; },
            [to](const plan& asked) { to->plans.push_back(asked); }};
  });
}

inline watcher_actor watcher_probe(caf::actor_system& system, std::shared_ptr<seen> to) {
  return system.spawn([to](watcher_actor::pointer) -> watcher_actor::behavior_type {
    return {[](status_atom) { return empty_status(); }, [](cancel_atom, exploration_id) {},
            [to](const committed& message) { to->commits.push_back(message); },
            [to](finished_atom, const exploration_row& row) { to->finished.push_back(row); }};
  });
}

inline planner_actor planner_probe(caf::actor_system& system, std::shared_ptr<seen> to) {
  return system.spawn([to](planner_actor::pointer) -> planner_actor::behavior_type {
    return {[](status_atom) { return empty_status(); },
            [](cancel_atom, exploration_id) {},
            [to](const committed& message) { to->commits.push_back(message); },
            [to](admit_atom, uint32_t count) { to->admitted.push_back(count); },
            [](tick_atom) {},
            [](interrupt_atom) {}};
  });
}

}  // namespace kope::testing
