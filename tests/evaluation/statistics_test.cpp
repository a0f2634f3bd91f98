#include "actors/evaluation/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kope {
namespace {

using wire::Decision;

std::vector<double> logs(std::initializer_list<double> ratios) {
  std::vector<double> all;
  for (double ratio : ratios) all.push_back(std::log(ratio));
  return all;
}

TEST(statistics, any_look_misses_the_median_with_at_most_one_per_cent) {
  EXPECT_LE(probability_of_any_miss(), 0.01);
  EXPECT_GE(probability_of_any_miss(), 0.008) << "most of what is allowed is used, else intervals are too wide";
}

TEST(statistics, intervals_drop_more_extremes_the_more_pairs_there_are) {
  EXPECT_EQ(dropped_extremes(10), 0u);
  for (size_t n = 11; n <= pairs_max; ++n) EXPECT_GE(dropped_extremes(n), dropped_extremes(n - 1));
  EXPECT_EQ(dropped_extremes(40), 10u);
  EXPECT_EQ(dropped_extremes(19), dropped_extremes(14)) << "time was up between two looks";
}

TEST(statistics, median_is_the_middle_or_between_the_two_middles) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

TEST(statistics, a_clear_difference_is_claimed_after_ten_pairs) {
  auto interval = interval_of(logs({2, 2.1, 1.9, 2, 2, 2.05, 1.95, 2, 2, 2}));
  EXPECT_TRUE(is_enough(interval));
  EXPECT_EQ(decide(interval), Decision::FASTER);
  auto slower = interval_of(logs({.5, .51, .49, .5, .5, .5, .49, .5, .5, .5}));
  EXPECT_EQ(decide(slower), Decision::SLOWER);
}

TEST(statistics, nine_pairs_decide_nothing) {
  auto interval = interval_of(logs({2, 2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_FALSE(is_enough(interval));
  EXPECT_EQ(decide(interval), Decision::UNDECIDED);
}

TEST(statistics, a_difference_of_three_per_cent_is_none) {
  auto interval = interval_of(logs({1.02, 1.021, 1.02, 1.02, 1.02, 1.019, 1.02, 1.02, 1.02, 1.02}));
  EXPECT_GT(interval.low, 1);
  EXPECT_TRUE(is_enough(interval));
  EXPECT_EQ(decide(interval), Decision::NO_DIFFERENCE);
  EXPECT_EQ(decide(interval_of(logs({.98, .98, .98, .98, .98, .98, .98, .98, .98, .98}))), Decision::NO_DIFFERENCE);
}

TEST(statistics, a_wide_interval_that_contains_one_is_undecided) {
  auto interval = interval_of(logs({1.3, .8, 1.2, .9, 1.25, .85, 1.1, 1.3, .9, 1.2}));
  EXPECT_FALSE(is_enough(interval));
  EXPECT_EQ(decide(interval), Decision::UNDECIDED);
}

TEST(statistics, between_two_looks_nothing_stops) {
  auto twice = [](size_t pairs) { return interval_of(std::vector<double>(pairs, std::log(2))); };
  EXPECT_TRUE(is_enough(twice(10)));
  EXPECT_FALSE(is_enough(twice(11)));
  EXPECT_TRUE(is_enough(twice(14)));
}

TEST(statistics, a_claim_is_known_to_four_per_cent_and_a_number_for_people_to_two) {
  std::vector<double> log_ratios;
  for (int i = 0; i < 10; ++i) log_ratios.push_back(std::log(1.15) + (i % 2 ? 0.03 : -0.03));
  auto interval = interval_of(log_ratios);
  EXPECT_EQ(decide(interval), Decision::FASTER);
  EXPECT_TRUE(is_enough(interval));
  EXPECT_FALSE(is_enough(interval, true));
}

/// Runs the sequential rule on ratios that `draw` gives.
template <class Draw>
ratio_interval sequence(Draw draw) {
  std::vector<double> log_ratios;
  for (;;) {
    log_ratios.push_back(draw());
    auto interval = interval_of(log_ratios);
    if (is_enough(interval)) return interval;
  }
}

/// Of 2000 true nulls at 1 %, 20 are expected and more than 34 come in fewer than 1 of 1000 runs (Poisson tail).
constexpr int trials = 2000, misses_max = 34;

TEST(statistics, identical_kernels_are_told_apart_in_at_most_one_of_a_hundred_whatever_the_noise) {
  std::mt19937_64 random(20240607);
  std::normal_distribution<double> normal;
  std::cauchy_distribution<double> cauchy;  // now and then a sample is off by any factor
  for (double noise : {0.005, 0.03, 0.1, 0.3}) {
    int normal_claims = 0, cauchy_claims = 0, missed = 0;
    for (int t = 0; t < trials; ++t) {
      auto interval = sequence([&] { return noise * normal(random); });
      normal_claims += decide(interval) == Decision::FASTER || decide(interval) == Decision::SLOWER;
      missed += interval.low > 1 || interval.high < 1;
      interval = sequence([&] { return noise * std::clamp(cauchy(random), -20., 20.); });
      cauchy_claims += decide(interval) == Decision::FASTER || decide(interval) == Decision::SLOWER;
    }
    EXPECT_LE(missed, misses_max) << "noise " << noise;
    EXPECT_LE(normal_claims, misses_max) << "noise " << noise;
    EXPECT_LE(cauchy_claims, misses_max) << "noise " << noise;
  }
}

TEST(statistics, a_tenth_more_speed_is_found_under_three_per_cent_of_noise) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  int found = 0;
  size_t pairs = 0;
  for (int t = 0; t < 500; ++t) {
    auto interval = sequence([&] { return std::log(1.10) + 0.03 * normal(random); });
    found += decide(interval) == Decision::FASTER;
    pairs += interval.pairs;
  }
  EXPECT_GE(found, 495);
  EXPECT_LE(pairs / 500, 24u);
}

}  // namespace
}  // namespace kope
