#include "bench/timing_claims.hpp"

#include <gtest/gtest.h>

#include "bench/candidate_cost.hpp"

namespace kope::bench {
namespace {

answer said(wire::Decision decision, double timed = 0.2, double seconds = 0.5) {
  return {.ratio = 1.05, .decision = decision, .pairs = 10, .timed_seconds = timed, .seconds = seconds};
}

claims_result claims(bool identical, std::vector<answer> answers) {
  return {.length = known_lengths()[1], .identical = identical, .answers = std::move(answers)};
}

const target& named(const std::vector<target>& all, const std::string& part) {
  for (const auto& each : all)
    if (each.name.find(part) != std::string::npos) return each;
  throw std::runtime_error("no target " + part);
}

TEST(timing_claims, of_identical_kernels_count_in_both_directions) {
  std::vector<answer> all(98, said(wire::Decision::NO_DIFFERENCE));
  all.push_back(said(wire::Decision::FASTER));
  all.push_back(said(wire::Decision::SLOWER));
  EXPECT_TRUE(all_met(claims_targets({claims(true, all)}, false)));
  all[0] = all[1] = said(wire::Decision::FASTER);
  EXPECT_EQ(*named(claims_targets({claims(true, all)}, false), "identical kernels").measured, 4);
  EXPECT_FALSE(named(claims_targets({claims(true, all)}, true), "identical kernels").met()) << "nor beside busy loops";
}

TEST(timing_claims, of_five_per_cent_are_made_ninety_times_and_never_the_wrong_way) {
  std::vector<answer> all(90, said(wire::Decision::FASTER));
  for (int i = 0; i < 10; ++i) all.push_back(said(wire::Decision::UNDECIDED));
  EXPECT_TRUE(all_met(claims_targets({claims(false, all)}, false)));
  all[0] = said(wire::Decision::NO_DIFFERENCE);
  EXPECT_FALSE(named(claims_targets({claims(false, all)}, false), "right claims").met());
  all[0] = said(wire::Decision::SLOWER);
  EXPECT_FALSE(named(claims_targets({claims(false, all)}, false), "wrong sign").met());
  EXPECT_FALSE(named(claims_targets({claims(false, all)}, true), "wrong sign").met()) << "nor beside busy loops";
}

TEST(timing_claims, beside_busy_loops_may_all_be_undecided_at_any_cost) {
  std::vector<answer> all(5, said(wire::Decision::UNDECIDED, 8, 20));
  EXPECT_TRUE(all_met(claims_targets({claims(true, all), claims(false, all)}, true)));
  EXPECT_FALSE(all_met(claims_targets({claims(true, all)}, false)));
}

TEST(timing_claims, are_held_to_what_the_dearest_comparison_cost) {
  std::vector<answer> all(5, said(wire::Decision::NO_DIFFERENCE));
  EXPECT_TRUE(all_met(claims_targets({claims(true, all)}, false)));
  all[3].timed_seconds = 0.51;
  EXPECT_FALSE(named(claims_targets({claims(true, all)}, false), "timed work").met());
  all[3] = said(wire::Decision::NO_DIFFERENCE, 0.2, 1.51);
  EXPECT_FALSE(named(claims_targets({claims(true, all)}, false), "time in all").met());
}

TEST(timing_claims, that_were_not_measured_are_missed) {
  EXPECT_FALSE(all_met(claims_targets({claims(true, {})}, false)));
  EXPECT_FALSE(all_met(claims_targets({claims(false, {})}, true)));
}

TEST(known_work, is_a_twentieth_more_of_the_same_in_every_case) {
  auto of = known_work_task();
  auto view = of.read();
  ASSERT_EQ(view->getCases().size(), known_lengths().size());
  for (auto each : view->getCases()) EXPECT_EQ(each.getSizes()[0] % 20, 0u) << each.getName().cStr();
  EXPECT_NE(longer_kernel(), shorter_kernel());
}

TEST(candidate_cost, may_be_a_hundred_milliseconds_and_thirty_microseconds_a_page) {
  candidate_cost cost;
  cost.verifications.push_back({.task = "sum", .seconds = 0.129, .pages = 1000});
  EXPECT_TRUE(all_met(candidate_targets(cost)));
  cost.verifications[0].seconds = 0.131;
  EXPECT_FALSE(all_met(candidate_targets(cost)));
}

TEST(candidate_cost, says_which_level_this_machine_does_not_have) {
  candidate_cost cost;
  cost.starts = {{"lite", 0.005, 0.006}, {"no full on this machine"}};
  auto text = candidate_text(cost);
  EXPECT_NE(text.find("no full on this machine"), std::string::npos) << text;
}

}  // namespace
}  // namespace kope::bench
