// What the scenarios ask of a store after an exploration.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "storage/lmdb_graph_store.hpp"
#include "tests/storage/scratch_directory.hpp"
#include "tests/support/program_start.hpp"

namespace kope::testing {

inline exploration_row wish(const machine& on, uint32_t attempts) {
  return exploration_row::build([&](wire::Exploration::Builder row) {
    auto of = on.of.read();
    auto spec = row.initSpec();
    spec.setTask(of->getName());
    spec.setTimedCase("product");
    spec.setAttempts(attempts);
    spec.setSeconds(1000);  // attempts decide
    spec.setSeed(5);
    spec.setTickets(4);
    spec.setPolicy("local_search");
    spec.setToolchain("fake");
    spec.setCoder("schedule");
    spec.setTaskKey(of->getKey());
    spec.setTargetKey(on.target.read()->getKey());
    spec.setToolchainKey(std::string(64, 'c'));
    spec.setCheck(of->getCheck());
    row.setNextNumber(1);
  });
}

/// The store on this disk, as a start of the program opens it.
inline std::shared_ptr<graph_store> opened(const scratch_directory& disk) {
  auto store = open_lmdb_graph_store(disk.path(), store_access::write);
  if (!store) throw std::runtime_error(store.failure().what);
  return std::move(*store);
}

inline exploration_id id_of_row(const exploration_row& row) {
  return exploration_id::parse(std::string_view(row.read()->getId().cStr())).value_or(exploration_id{});
}

inline exploration_row stored_row(const graph_store& store, exploration_id id) {
  auto snapshot = store.snapshot();
  auto row = (*snapshot)->exploration(id);
  EXPECT_TRUE(row.ok() && row->has_value());
  return row->value_or(exploration_row{});
}

inline std::vector<attempt_record> attempts_of(const graph_store& store, exploration_id id) {
  auto snapshot = store.snapshot();
  auto attempts = (*snapshot)->attempts_after(id, 0, 10'000);
  EXPECT_TRUE(attempts.ok());
  return *attempts;
}

inline size_t count(const graph_store& store, exploration_id id, wire::OutcomeClass outcome) {
  size_t found = 0;
  for (auto& attempt : attempts_of(store, id)) found += attempt.read()->getOutcome() == outcome;
  return found;
}

inline bool costs_budget(wire::OutcomeClass outcome) {
  return outcome != wire::OutcomeClass::INTERRUPTED && outcome != wire::OutcomeClass::DUPLICATE;
}

inline size_t counted(const std::vector<committed>& commits) {
  size_t found = 0;
  for (auto& each : commits) found += costs_budget(each.read()->getAttempt().getOutcome());
  return found;
}

/// The exploration is finished, its budget is spent exactly, no attempt number is there twice, nothing is open.
inline void expect_whole(const graph_store& store, exploration_id id, uint32_t budget) {
  std::set<uint32_t> numbers;
  uint32_t spent = 0;
  for (auto& attempt : attempts_of(store, id)) {
    auto view = attempt.read();
    EXPECT_TRUE(numbers.insert(view->getHeader().getNumber()).second) << view->getHeader().getNumber();
    spent += costs_budget(view->getOutcome());
  }
  EXPECT_EQ(spent, budget);
  auto stored = stored_row(store, id);
  auto row = stored.read();
  EXPECT_EQ(row->getState(), wire::ExplorationState::FINISHED) << row->getStopReason().cStr();
  EXPECT_EQ(row->getSpentAttempts(), budget);
  auto snapshot = store.snapshot();
  EXPECT_TRUE((*snapshot)->open_rows()->empty());
}

}  // namespace kope::testing
