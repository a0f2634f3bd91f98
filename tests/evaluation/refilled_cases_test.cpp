// Shapes that are timed, on inputs of other cases: who is right there for tame values alone is wrong.
#include <gtest/gtest.h>

#include "actors/evaluation/concrete_cases.hpp"
#include "tests/evaluation/small_tasks.hpp"

namespace kope::testing {
namespace {

task with_wild_cases() {
  auto cases = small_cases();
  cases.push_back({"wide", wire::CaseKind::VISIBLE, {5, 6, 7}, wire::FillKind::LOG_UNIFORM, 1e-3, 1e3});
  cases.push_back({"offset", wire::CaseKind::HIDDEN, {8, 3, 2}, wire::FillKind::UNIFORM, 90, 110});
  return matmul_task(cases);
}

concrete_case case_at(const task& of, size_t index) {
  auto found = resolve_case(*of.read(), index);
  EXPECT_TRUE(found.ok());
  return *found;
}

TEST(refilled_cases, have_the_timed_sizes_and_the_widest_and_the_most_one_sided_inputs) {
  auto of = with_wild_cases();
  auto timed = case_at(of, 4);
  auto found = refilled_cases(*of.read(), timed);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 2u);
  for (const auto& one : *found) {
    EXPECT_EQ(one.sizes, timed.sizes);
    EXPECT_EQ(one.kind, wire::CaseKind::HIDDEN);
    EXPECT_GE(one.index, size_t{1} << 33) << "no listed or drawn case has it";
  }
  auto wide = fill_of(*of.read(), (*found)[0], 0), offset = fill_of(*of.read(), (*found)[1], 0);
  EXPECT_EQ(wide.kind, wire::FillKind::LOG_UNIFORM);
  EXPECT_EQ(wide.high, 1e3);
  EXPECT_EQ(offset.low, 90);
  EXPECT_EQ(offset.high, 110);
}

TEST(refilled_cases, are_none_where_the_timed_inputs_are_the_wildest_or_all_alike) {
  auto alike = matmul_task();
  EXPECT_TRUE(refilled_cases(*alike.read(), case_at(alike, 4))->empty());
  auto of = with_wild_cases();
  EXPECT_EQ(refilled_cases(*of.read(), case_at(of, 5))->size(), 1u) << "nothing is wider than the widest";
}

TEST(refilled_cases, are_none_for_inputs_of_whole_numbers_which_may_be_indices) {
  auto of = task::changed(*with_wild_cases().read(), [](wire::Task::Builder change) {
    change.getTensors()[1].setElementType(wire::ElementType::I32);
  });
  EXPECT_TRUE(refilled_cases(*of.read(), case_at(of, 4))->empty());
}

}  // namespace
}  // namespace kope::testing
