// Small messages for actors' tests.
#pragma once

#include "actors/outcome_of.hpp"
#include "messages/actors.hpp"
#include "storage/graph_store.hpp"

namespace kope::testing {

constexpr uint32_t test_incarnation = 7;

inline void fill_header(wire::AttemptHeader::Builder header, exploration_id exploration, uint32_t number,
                        uint32_t incarnation = test_incarnation) {
  header.setAttempt(make_attempt_id(exploration, number).text());
  header.setExploration(exploration.text());
  header.setNumber(number);
  header.setIncarnation(incarnation);
}

inline work sample_work(exploration_id exploration, uint32_t number, uint32_t incarnation = test_incarnation) {
  return work::build([&](wire::Work::Builder made) {
    auto plan = made.initPlan();
    fill_header(plan.initHeader(), exploration, number, incarnation);
    plan.setTask("sample");
    plan.setTimedCase("timed");
  });
}

inline outcome sample_outcome(exploration_id exploration, uint32_t number,
                              wire::OutcomeClass result = wire::OutcomeClass::CORRECT_NOT_FASTER,
                              uint32_t incarnation = test_incarnation) {
  return outcome_of(*sample_work(exploration, number, incarnation).read(), result, wire::Stage::PROFILE, "");
}

inline open_row sample_open_row(exploration_id exploration, uint32_t number, uint32_t incarnation = test_incarnation) {
  return open_row::build([&](wire::OpenRow::Builder row) {
    fill_header(row.initHeader(), exploration, number, incarnation);
    fill_header(row.initPlan().initHeader(), exploration, number, incarnation);
  });
}

inline exploration_row sample_row(exploration_id id, uint32_t attempts = 10, uint32_t tickets = 2) {
  return exploration_row::build([&](wire::Exploration::Builder row) {
    row.setId(id.text());
    row.setNextNumber(1);
    auto spec = row.initSpec();
    spec.setTask("sample");
    spec.setTimedCase("timed");
    spec.setAttempts(attempts);
    spec.setSeconds(1000);
    spec.setSeed(5);
    spec.setTickets(tickets);
    spec.setPolicy("local_search");
  });
}

/// Two ordered parameters of five values each; one starting point at the low corner.
inline parameter_space sample_space() {
  return parameter_space::build([](wire::ParameterSpace::Builder space) {
    space.setFamily("sample");
    auto ranges = space.initRanges(2);
    const char* names[] = {"width", "depth"};
    for (unsigned i = 0; i < 2; ++i) {
      ranges[i].setMeaning(names[i]);
      ranges[i].setOrdered(true);
      auto values = ranges[i].initValues(5);
      for (unsigned k = 0; k < 5; ++k) values.set(k, k + 1);
    }
    auto parameters = space.initStartingPoints(1)[0].initParameters(2);
    for (unsigned i = 0; i < 2; ++i) {
      parameters[i].setMeaning(names[i]);
      parameters[i].setValue(1);
    }
  });
}

}  // namespace kope::testing
