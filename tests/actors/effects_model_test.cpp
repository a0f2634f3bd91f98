#include "actors/planner/policies/effects_model.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "actors/planner/gaussian_model.hpp"
#include "actors/planner/policies/local_search.hpp"
#include "actors/planner/policies/random_search.hpp"
#include "tests/support/landscape.hpp"
#include "tests/support/sample_work.hpp"

namespace kope {
namespace {

using testing::landscape;
using testing::replay;
using testing::sample_space;

TEST(gaussian_model, finds_effects_that_add_up_from_a_few_points) {
  gaussian_model model({{4, true}, {3, false}, {2, false}});
  auto truth = [](const places& at) { return 0.3 * at[0] + (at[1] == 1 ? 0.5 : 0) - 0.2 * at[2]; };
  std::vector<measured_point> measured;
  for (const places& at : {places{0, 0, 0}, {3, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 2, 1}, {2, 1, 1}, {3, 2, 0}})
    measured.push_back({at, truth(at), 1e-4});
  model.fit(measured);
  auto best = model.at({3, 1, 0});
  auto worst = model.at({0, 2, 1});
  EXPECT_NEAR(best.mean, truth({3, 1, 0}), 2 * best.deviation + 0.05);
  EXPECT_NEAR(worst.mean, truth({0, 2, 1}), 2 * worst.deviation + 0.05);
  EXPECT_GT(best.mean, worst.mean + 0.8);
  EXPECT_LT(model.at({0, 0, 0}).deviation, 0.02) << "what was measured is known";
  EXPECT_GT(best.deviation, model.at({0, 0, 0}).deviation);
}

TEST(gaussian_model, takes_noise_for_noise) {
  gaussian_model model({{4, true}});
  model.fit(std::vector<measured_point>{{{0}, 0.0, 0.04}, {{0}, 0.4, 0.04}, {{1}, 0.2, 1e-4}});
  EXPECT_NEAR(model.at({0}).mean, 0.2, 0.1) << "two measurements of one point are averaged";
}

TEST(expected_improvement, is_never_negative_and_grows_with_hope_and_with_doubt) {
  EXPECT_DOUBLE_EQ(expected_improvement({1, 0}, 0), 1);
  EXPECT_DOUBLE_EQ(expected_improvement({-1, 0}, 0), 0);
  EXPECT_GT(expected_improvement({0, 1}, 0), expected_improvement({0, 0.5}, 0));
  EXPECT_GT(expected_improvement({0.1, 0.5}, 0), expected_improvement({0, 0.5}, 0));
  EXPECT_GE(expected_improvement({-5, 0.1}, 0), 0);
}

wire::Attempt::Builder fill(wire::Attempt::Builder to, const std::string& id, const std::string& against, double ratio,
                            wire::OutcomeClass outcome = wire::OutcomeClass::CORRECT_NOT_FASTER) {
  to.initHeader().setAttempt(id);
  to.setIncumbent(against);
  to.setOutcome(outcome);
  auto compared = to.initPromotion();
  compared.setRatio(ratio);
  compared.setLow(ratio * 0.98);
  compared.setHigh(ratio * 1.02);
  compared.setPairs(20);
  return to;
}

TEST(effects_model, tries_starting_points_first_and_no_point_twice) {
  auto by = make_effects_model(sample_space());
  random_source random(1);
  auto starts = starting_points(*sample_space().read());
  std::set<point> seen;
  for (size_t i = 0; auto next = by->next(random); ++i) {
    if (i < starts.size()) {
      EXPECT_EQ(next->at, starts[i]);
    }
    EXPECT_TRUE(seen.insert(next->at).second);
    auto attempt = parcel<wire::Attempt>::build(
        [&](wire::Attempt::Builder to) { fill(to, std::to_string(i), "", 1 + 0.01 * static_cast<double>(i % 7)); });
    by->learn(next->at, *attempt.read(), false);
    if (i > 5000) break;
  }
  EXPECT_GT(seen.size(), starts.size());
}

TEST(effects_model, takes_neither_missing_nor_infinite_nor_negative_numbers_for_a_result) {
  auto by = make_effects_model(sample_space());
  random_source random(1);
  for (double ratio : {std::nan(""), 0.0, -1.0, static_cast<double>(INFINITY)}) {
    auto next = by->next(random);
    ASSERT_TRUE(next);
    auto attempt = parcel<wire::Attempt>::build([&](wire::Attempt::Builder to) { fill(to, "1", "", ratio); });
    by->learn(next->at, *attempt.read(), false);
  }
  EXPECT_EQ(by->snapshot().find("results"), std::string::npos);
}

TEST(effects_model, goes_on_from_its_snapshot_as_it_would_have_gone_on) {
  auto teach = [](policy& by, random_source& random, int from, int to) {
    std::vector<point> order;
    for (int i = from; i < to; ++i) {
      auto next = by.next(random);
      if (!next) break;
      order.push_back(next->at);
      bool better = i % 5 == 4;
      auto attempt = parcel<wire::Attempt>::build([&](wire::Attempt::Builder a) {
        fill(a, std::to_string(i), i < 5 ? "" : std::to_string(i / 5 * 5 - 1), better ? 1.1 : 0.9);
      });
      by.learn(next->at, *attempt.read(), better);
    }
    return order;
  };
  auto one = make_effects_model(sample_space()), other = make_effects_model(sample_space());
  random_source random(3);
  teach(*one, random, 0, 12);
  ASSERT_TRUE(other->restore(one->snapshot()).ok());
  random_source a(9), b(9);
  EXPECT_EQ(teach(*one, a, 12, 20), teach(*other, b, 12, 20));
  EXPECT_FALSE(other->restore("[1]").ok());
  EXPECT_FALSE(other->restore(R"({"starts":0})").ok());
}

TEST(effects_model, keeps_its_snapshot_within_bounds) {
  auto space = sample_space();
  auto by = make_effects_model(space);
  auto all = all_points(*space.read(), 100'000);
  ASSERT_TRUE(all);
  for (int i = 0; i < 5000; ++i) {
    auto attempt = parcel<wire::Attempt>::build(
        [&](wire::Attempt::Builder to) { fill(to, "0123456789abcdef" + std::to_string(i), "", 1 + i * 1e-4); });
    by->learn((*all)[static_cast<size_t>(i) % all->size()], *attempt.read(), true);
  }
  EXPECT_LE(by->snapshot().size(), policy_snapshot_bytes_max);
}

class recorded : public ::testing::Test {
protected:
  static constexpr size_t attempts_max = 60;

  /// Of each landscape the geometric mean over seeds.
  template <class Make>
  static std::vector<double> attempts_of(const std::vector<landscape>& on, Make make, uint64_t seeds) {
    std::vector<double> all;
    for (const auto& each : on) {
      double sum = 0;
      for (uint64_t seed = 1; seed <= seeds; ++seed) {
        auto by = make(each.space);
        sum += std::log(static_cast<double>(replay(each, *by, seed * 7919, attempts_max).attempts));
      }
      all.push_back(std::exp(sum / static_cast<double>(seeds)));
    }
    return all;
  }
  static double geomean_ratio(const std::vector<double>& of, const std::vector<double>& to) {
    double sum = 0;
    for (size_t i = 0; i < of.size(); ++i) sum += std::log(of[i] / to[i]);
    return std::exp(sum / static_cast<double>(of.size()));
  }
};

TEST_F(recorded, the_effects_model_needs_less_than_two_thirds_of_the_attempts_of_random_draws_and_of_a_local_search) {
  auto landscapes = testing::read_landscapes("tests/data/landscapes/schedules.tsv");
  ASSERT_EQ(landscapes.size(), 36u);
  const bool all = std::getenv("KOPE_TEST_ALL") != nullptr;
  if (!all) {
    // Every third: all families, both targets. A minute under the sanitizers.
    std::vector<landscape> some;
    for (size_t i = 0; i < landscapes.size(); i += 3) some.push_back(std::move(landscapes[i]));
    landscapes = std::move(some);
  }
  const uint64_t seeds = all ? 30 : 5;
  auto model = attempts_of(landscapes, make_effects_model, seeds);
  auto local = attempts_of(landscapes, make_local_search, seeds);
  auto random = attempts_of(landscapes, make_random_search, seeds);
  for (size_t i = 0; i < landscapes.size(); ++i)
    std::printf("%-9s %s  model %5.1f  local %5.1f  random %5.1f\n", landscapes[i].task.c_str(),
                landscapes[i].target.c_str(), model[i], local[i], random[i]);
  double of_random = geomean_ratio(model, random), of_local = geomean_ratio(model, local);
  std::printf("geometric mean: %.2f of random, %.2f of local search\n", of_random, of_local);
  EXPECT_LE(of_random, 0.67);
  EXPECT_LE(of_local, 0.67);
}

}  // namespace
}  // namespace kope
