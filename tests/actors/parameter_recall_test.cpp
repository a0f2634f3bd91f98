#include "actors/memory_curator/recall/parameter_recall.hpp"

#include <gtest/gtest.h>

#include "storage/memory_graph_store.hpp"
#include "tests/support/sample_work.hpp"

namespace kope {
namespace {

const std::string matmul_key(64, 'a'), other_family_key(64, 'b'), batched_key(64, 'c');
const std::string here(64, '1'), elsewhere(64, '2');

class parameter_recall_test : public ::testing::Test {
protected:
  parameter_recall_test() {
    commit_batch records;
    for (auto [key, family] :
         {std::pair{matmul_key, "matmul"}, {other_family_key, "reduction"}, {batched_key, "matmul"}})
      records.tasks.push_back(task_record::build([&, key = key, family = family](wire::TaskRecord::Builder record) {
        record.setKey(key);
        record.setFamily(family);
      }));
    EXPECT_TRUE(store->commit(records).ok());
  }

  /// An exploration whose best attempt has this value of its one parameter; its incumbent.
  attempt_id explored(const std::string& task_key, const std::string& target, std::vector<uint32_t> sizes, double value,
                      double speedup, wire::OutcomeClass outcome_of_best = wire::OutcomeClass::IMPROVED) {
    exploration_id id{++last};
    auto attempt =
        outcome::changed(*testing::sample_outcome(id, 1, outcome_of_best).read(), [&](wire::Outcome::Builder change) {
          auto parameter = change.getAttempt().initParameters(1)[0];
          parameter.setMeaning("width");
          parameter.setValue(value);
        });
    auto row = exploration_row::changed(*testing::sample_row(id).read(), [&](wire::Exploration::Builder change) {
      change.setIncumbent(make_attempt_id(id, 1).text());
      auto compared = change.initSpeedup();
      compared.setRatio(speedup);
      compared.setPairs(8);
      auto spec = change.getSpec();
      spec.setTaskKey(task_key);
      spec.setTargetKey(target);
      auto list = spec.initSizes(static_cast<unsigned>(sizes.size()));
      for (unsigned i = 0; i < list.size(); ++i) list.set(i, sizes[i]);
    });
    EXPECT_TRUE(store->commit({.explorations = {row}, .outcomes = {attempt}}).ok());
    return make_attempt_id(id, 1);
  }

  std::vector<attempt_id> recalled(std::vector<uint32_t> sizes) {
    auto row = exploration_row::build([&](wire::Exploration::Builder made) {
      auto spec = made.initSpec();
      spec.setTaskKey(matmul_key);
      spec.setTargetKey(here);
      auto list = spec.initSizes(static_cast<unsigned>(sizes.size()));
      for (unsigned i = 0; i < list.size(); ++i) list.set(i, sizes[i]);
    });
    auto described = parcel<wire::Task>::build([](wire::Task::Builder of) { of.setFamily("matmul"); });
    auto found = recall_parameters(**store->snapshot(), row.read()->getSpec(), *described.read());
    EXPECT_TRUE(found.ok());
    std::vector<attempt_id> ids;
    for (auto& one : *found) ids.push_back(one.from);
    return ids;
  }

  std::shared_ptr<graph_store> store = make_memory_graph_store();
  uint64_t last = 0;
};

TEST_F(parameter_recall_test, an_empty_graph_recalls_nothing) { EXPECT_TRUE(recalled({512, 512, 512}).empty()); }

TEST_F(parameter_recall_test, the_nearest_sizes_come_first) {
  auto far = explored(matmul_key, here, {64, 64, 64}, 1, 50);
  auto near = explored(matmul_key, here, {512, 512, 256}, 2, 50);
  EXPECT_EQ(recalled({512, 512, 512}), (std::vector{near, far}));
}

TEST_F(parameter_recall_test, among_equally_near_ones_the_fastest_comes_first) {
  auto slow = explored(matmul_key, here, {512, 512, 512}, 1, 50);
  auto fast = explored(matmul_key, here, {512, 512, 512}, 2, 80);
  EXPECT_EQ(recalled({512, 512, 512}), (std::vector{fast, slow}));
}

TEST_F(parameter_recall_test, another_task_of_the_family_counts_and_another_family_does_not) {
  explored(other_family_key, here, {512, 512, 512}, 1, 50);
  auto kin = explored(batched_key, here, {512, 512, 512}, 2, 50);
  EXPECT_EQ(recalled({512, 512, 512}), std::vector{kin});
}

TEST_F(parameter_recall_test, a_suspect_attempt_is_never_recalled) {
  explored(matmul_key, here, {512, 512, 512}, 1, 1000, wire::OutcomeClass::SUSPECT);
  auto believed = explored(matmul_key, here, {64, 64, 64}, 2, 50);
  EXPECT_EQ(recalled({512, 512, 512}), std::vector{believed});
}

TEST_F(parameter_recall_test, another_machine_does_not_count) {
  explored(matmul_key, elsewhere, {512, 512, 512}, 1, 50);
  EXPECT_TRUE(recalled({512, 512, 512}).empty());
}

TEST_F(parameter_recall_test, recalls_each_set_of_parameters_once_and_three_at_most) {
  auto best = explored(matmul_key, here, {512, 512, 512}, 1, 90);
  explored(matmul_key, here, {512, 512, 512}, 1, 80);
  for (int value = 2; value < 7; ++value) explored(matmul_key, here, {256, 256, 256}, value, 50);
  auto ids = recalled({512, 512, 512});
  ASSERT_EQ(ids.size(), recalled_max);
  EXPECT_EQ(ids.front(), best);
  EXPECT_EQ(exploration_of(ids[1]).value, last)
      << "of equals the newest; the second one has the first one's parameters";
}

}  // namespace
}  // namespace kope
