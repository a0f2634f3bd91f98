#include "actors/evaluation/played_pairs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "actors/evaluation/statistics.hpp"

namespace kope {
namespace {

played_pairs pairs_of(played_batch older, played_batch newer, size_t count = 10) {
  played_pairs all;
  for (size_t i = 0; i < count; ++i) all.add({{older, older}, {newer, newer}});
  return all;
}

TEST(played_pairs, charge_neither_side_for_what_both_need_to_be_woken) {
  auto all = pairs_of({3e-3, 240e-6, 3}, {3e-3, 245e-6, 6});
  EXPECT_DOUBLE_EQ(all.log_ratios().front(), std::log(2.0)) << "a call takes half as long";
  EXPECT_DOUBLE_EQ(all.old_seconds(), 1e-3);
  EXPECT_DOUBLE_EQ(all.new_seconds(), 0.5e-3);
}

TEST(played_pairs, charge_whichever_side_uses_more_outside_of_the_clock_than_the_other) {
  // 180 us of work before the clock: 2.82 ms are seen of 3 ms.
  double honest = 60e-6, more = honest + 180e-6;
  auto hidden_in_new = pairs_of({3e-3, honest, 3}, {2.82e-3, more, 3});
  EXPECT_NEAR(hidden_in_new.log_ratios().front(), 0, played_pairs::always_free_seconds / 2.9e-3);
  EXPECT_LT(hidden_in_new.log_ratios().front(), std::log(1.01));
  auto hidden_in_old = pairs_of({2.82e-3, more, 3}, {3e-3, honest, 3});
  EXPECT_GT(hidden_in_old.log_ratios().front(), std::log(0.99));
}

TEST(played_pairs, do_not_charge_what_a_batch_happens_to_use_more_than_usual) {
  auto all = pairs_of({3e-3, 60e-6, 3}, {3e-3, 60e-6, 3});
  all.add({{{3e-3, 20e-6, 3}}, {{3e-3, 260e-6, 3}}});
  EXPECT_NEAR(all.free_seconds(), 60e-6 + played_pairs::always_free_seconds, 1e-9);
  EXPECT_DOUBLE_EQ(all.log_ratios().back(), 0);
}

// What is done outside of the clock is missing inside: however it is spread over batches, nothing is gained by it.
RC_GTEST_PROP(played_pairs, never_claim_a_speedup_for_work_that_was_moved_out_of_the_clock, ()) {
  const double honest = 3e-3;
  const auto rounds = *rc::gen::inRange<size_t>(1, 5);
  const auto percent = *rc::gen::inRange(0, 101);  // of batches that move some
  const bool whole_pairs = *rc::gen::arbitrary<bool>();
  played_pairs all;
  for (size_t pair = 0; pair < pairs_max; ++pair) {
    played_pair played;
    bool in_pair = *rc::gen::inRange(0, 100) < percent;
    for (size_t round = 0; round < rounds; ++round) {
      bool moves = whole_pairs ? in_pair : *rc::gen::inRange(0, 100) < percent;
      double moved = moves ? honest * *rc::gen::inRange(1, 1000) / 1000 : 0;
      played.older.push_back({honest, 50e-6, 3});
      played.newer.push_back({honest - moved, 50e-6 + moved, 3});
    }
    all.add(played);
  }
  auto interval = interval_of(all.log_ratios());
  RC_ASSERT(interval.ratio <= 1 + 1.01 * played_pairs::always_free_seconds / honest);
  RC_ASSERT(decide(interval) != wire::Decision::FASTER);
}

TEST(played_pairs, give_nothing_for_a_clock_that_ran_on_while_the_cpu_was_lost) {
  auto all = pairs_of({3e-3, -2e-3, 3}, {3e-3, 100e-6, 3});
  EXPECT_DOUBLE_EQ(all.free_seconds(), played_pairs::always_free_seconds);
  EXPECT_NEAR(all.new_seconds(), (3e-3 + 80e-6) / 3, 1e-9);
}

TEST(played_pairs, compare_the_time_of_all_batches_of_a_pair) {
  played_pairs all;
  all.add({{{1e-3, 0, 1}, {5e-3, 0, 1}}, {{1e-3, 0, 1}, {2e-3, 0, 1}}});
  EXPECT_NEAR(all.log_ratios().front(), std::log(2.0), 1e-12) << "6 ms against 3";
  EXPECT_DOUBLE_EQ(all.old_seconds(), 3e-3);
}

}  // namespace
}  // namespace kope
