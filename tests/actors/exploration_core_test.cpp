#include "actors/planner/exploration_core.hpp"

#include <gtest/gtest.h>

#include <map>

#include "actors/planner/policies/local_search.hpp"
#include "actors/planner/policies/random_search.hpp"
#include "tests/support/sample_work.hpp"

namespace kope {
namespace {

using testing::sample_row;
using testing::sample_space;

const exploration_id id{3};

std::unique_ptr<exploration_core> open_core(exploration_row row, uint32_t generation = 0) {
  auto core = exploration_core::open(std::move(row), sample_space(), make_local_search(sample_space()),
                                     testing::test_incarnation, generation);
  EXPECT_TRUE(core.ok()) << (core.ok() ? "" : core.failure().what);
  return std::move(*core);
}

attempt_record ended(const plan& of, wire::OutcomeClass result) {
  auto view = of.read();
  auto content = work::build([&](wire::Work::Builder made) { made.setPlan(*view); });
  auto made = outcome_of(*content.read(), result, wire::Stage::PROFILE, "");
  return attempt_record::copy_of(made.read()->getAttempt());
}

std::string parameters_of(const plan& of) { return of.read()->getIntent().cStr(); }

TEST(exploration_core, keeps_at_most_its_tickets_in_flight) {
  auto core = open_core(sample_row(id, 10, 2));
  auto first = core->next(0);
  ASSERT_TRUE(first);
  core->learn(*ended(*first, wire::OutcomeClass::IMPROVED).read(), 1);
  ASSERT_TRUE(core->next(0));
  ASSERT_TRUE(core->next(0));
  EXPECT_FALSE(core->next(0));
  EXPECT_EQ(core->in_flight(), 2u);
}

TEST(exploration_core, a_suspect_attempt_is_no_incumbent_and_its_time_teaches_the_policy_nothing) {
  auto taught = [](wire::OutcomeClass result, bool timed) {
    auto core = open_core(sample_row(id, 10, 1));
    auto first = core->next(0);
    auto attempt = attempt_record::changed(*ended(*first, result).read(), [&](wire::Attempt::Builder change) {
      if (!timed) return;
      auto promotion = change.initPromotion();
      promotion.setRatio(1000);
      promotion.setLow(990);
      promotion.setHigh(1010);
      promotion.setPairs(10);
    });
    auto learned = core->learn(*attempt.read(), 1);
    EXPECT_FALSE(learned.new_incumbent);
    EXPECT_FALSE(core->incumbent());
    auto row = core->row(0, wire::ExplorationState::RUNNING);
    auto bytes = row.read()->getPolicySnapshot();
    return std::string(bytes.asChars().begin(), bytes.size());
  };
  EXPECT_EQ(taught(wire::OutcomeClass::SUSPECT, true), taught(wire::OutcomeClass::WRONG_ANSWER, false));
  EXPECT_NE(taught(wire::OutcomeClass::UNDECIDED, true), taught(wire::OutcomeClass::WRONG_ANSWER, false))
      << "this policy learns from times that are believed";
}

TEST(exploration_core, plans_carry_the_header_the_incumbent_and_its_source) {
  auto core = open_core(sample_row(id));
  auto first = core->next(0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->read()->getParent().size(), 0u) << "the first changes the reference";
  EXPECT_EQ(first->read()->getHeader().getIncarnation(), testing::test_incarnation);
  auto learned = core->learn(*ended(*first, wire::OutcomeClass::IMPROVED).read(), 1);
  EXPECT_TRUE(learned.new_incumbent);
  core->set_incumbent_source("void kernel() {}", {"-O2"});
  auto second = core->next(0);
  ASSERT_TRUE(second);
  auto view = second->read();
  EXPECT_STREQ(view->getParent().cStr(), make_attempt_id(id, 1).text().c_str());
  EXPECT_STREQ(view->getIncumbent().getSource().cStr(), "void kernel() {}");
  EXPECT_STREQ(view->getIncumbent().getFlags()[0].cStr(), "-O2");
}

TEST(exploration_core, stops_when_the_attempts_are_spent_and_nothing_is_in_flight) {
  auto core = open_core(sample_row(id, 3, 3));
  double step = 0;
  std::vector<plan> plans;
  while (auto next = core->next(0)) {
    plans.push_back(*next);
    core->learn(
        *ended(*next, plans.size() == 1 ? wire::OutcomeClass::IMPROVED : wire::OutcomeClass::WRONG_ANSWER).read(),
        ++step);
  }
  EXPECT_EQ(plans.size(), 3u);
  EXPECT_EQ(core->stop_reason(0), "attempts");
}

TEST(exploration_core, stops_when_its_seconds_are_spent) {
  auto core = open_core(sample_row(id));
  auto flying = core->next(999);
  ASSERT_TRUE(flying);
  EXPECT_FALSE(core->next(1000));
  EXPECT_FALSE(core->stop_reason(1000)) << "one is in flight";
  core->learn(*ended(*flying, wire::OutcomeClass::CRASHED).read(), 1);
  EXPECT_EQ(core->stop_reason(1000), "seconds");
}

attempt_record improved_to(const plan& of, double fraction_of_limit) {
  return attempt_record::changed(*ended(of, wire::OutcomeClass::IMPROVED).read(), [&](wire::Attempt::Builder change) {
    change.initPromotion().setFractionOfLimit(fraction_of_limit);
  });
}

exploration_row with_rules(double stop_fraction, uint32_t plateau) {
  return exploration_row::changed(*sample_row(id, 20, 1).read(), [&](wire::Exploration::Builder change) {
    change.getSpec().setStopFraction(stop_fraction);
    change.getSpec().setPlateau(plateau);
  });
}

TEST(exploration_core, stops_when_its_kernel_reached_the_devices_limit_and_says_so_after_a_restart_too) {
  auto core = open_core(with_rules(0.9, 0));
  auto first = core->next(0);
  core->learn(*improved_to(*first, 0.5).read(), 1);
  EXPECT_FALSE(core->stop_reason(0));
  auto second = core->next(0);
  ASSERT_TRUE(second);
  core->learn(*improved_to(*second, 0.91).read(), 2);
  EXPECT_FALSE(core->next(0));
  EXPECT_EQ(core->stop_reason(0), "fraction of the limit");
  auto restarted = open_core(core->row(1, wire::ExplorationState::RUNNING), 1);
  EXPECT_EQ(restarted->stop_reason(0), "fraction of the limit");
}

TEST(exploration_core, stops_on_a_plateau_of_attempts_in_a_row_that_beat_nothing) {
  auto core = open_core(with_rules(0, 3));
  double step = 0;
  auto end = [&](wire::OutcomeClass how) { core->learn(*ended(*core->next(0), how).read(), ++step); };
  end(wire::OutcomeClass::CORRECT_NOT_FASTER);
  end(wire::OutcomeClass::WRONG_ANSWER);
  end(wire::OutcomeClass::IMPROVED);
  end(wire::OutcomeClass::CORRECT_NOT_FASTER);
  end(wire::OutcomeClass::DUPLICATE);  // costs nothing, says nothing
  end(wire::OutcomeClass::UNDECIDED);
  EXPECT_FALSE(core->stop_reason(0));
  auto restarted = open_core(core->row(1, wire::ExplorationState::RUNNING), 1);
  restarted->learn(*ended(*restarted->next(0), wire::OutcomeClass::CORRECT_NOT_FASTER).read(), step + 1);
  EXPECT_EQ(restarted->stop_reason(0), "plateau");
}

TEST(exploration_core, tries_an_interrupted_attempt_once_more_without_charging_it) {
  auto core = open_core(sample_row(id));
  auto first = core->next(0);
  core->learn(*ended(*first, wire::OutcomeClass::INTERRUPTED).read(), 1);
  EXPECT_EQ(core->spent_attempts(), 0u);
  auto again = core->next(0);
  ASSERT_TRUE(again);
  EXPECT_EQ(parameters_of(*again), parameters_of(*first));
  EXPECT_NE(again->read()->getHeader().getNumber(), first->read()->getHeader().getNumber());
  core->learn(*ended(*again, wire::OutcomeClass::INTERRUPTED).read(), 2);
  auto other = core->next(0);
  ASSERT_TRUE(other);
  EXPECT_NE(parameters_of(*other), parameters_of(*first)) << "once more, not for ever";
}

TEST(exploration_core, a_restart_from_its_row_and_the_outcomes_after_it_goes_on_where_it_stood) {
  // Two cores with the same seed; one of them is thrown away in the middle and opened again from its row.
  auto uninterrupted = open_core(sample_row(id, 20, 1));
  auto restarted = open_core(sample_row(id, 20, 1));
  std::vector<attempt_record> after_row;
  exploration_row row;
  double step = 0;
  auto result_of = [](const plan& of) {
    auto number = of.read()->getHeader().getNumber();
    return number % 3 == 1 ? wire::OutcomeClass::IMPROVED : wire::OutcomeClass::CORRECT_NOT_FASTER;
  };
  for (int i = 0; i < 20; ++i) {
    auto a = uninterrupted->next(0);
    auto b = restarted->next(0);
    ASSERT_EQ(a.has_value(), b.has_value());
    if (!a) break;
    EXPECT_EQ(parameters_of(*a), parameters_of(*b)) << "attempt " << i;
    ++step;
    uninterrupted->learn(*ended(*a, result_of(*a)).read(), step);
    auto record = ended(*b, result_of(*b));
    restarted->learn(*record.read(), step);
    after_row.push_back(attempt_record::changed(*record.read(), [&](wire::Attempt::Builder r) { r.setStep(step); }));
    if (i == 7) {
      row = restarted->row(1, wire::ExplorationState::RUNNING);
      after_row.clear();
    }
    if (i == 9) {
      restarted = open_core(row, 1);
      for (auto& outcome : after_row) restarted->learn(*outcome.read(), outcome.read()->getStep());
      EXPECT_EQ(restarted->spent_attempts(), uninterrupted->spent_attempts());
      EXPECT_EQ(restarted->incumbent(), uninterrupted->incumbent());
      // what random draws came after the row are drawn again, so from here on the two may differ
      break;
    }
  }
}

TEST(exploration_core, learns_each_step_once) {
  auto core = open_core(sample_row(id));
  auto first = core->next(0);
  auto record = ended(*first, wire::OutcomeClass::WRONG_ANSWER);
  core->learn(*record.read(), 5);
  core->learn(*record.read(), 5);
  EXPECT_EQ(core->spent_attempts(), 1u);
}

TEST(exploration_core, begins_with_what_memory_recalled_and_names_it_in_the_plan) {
  auto core = open_core(sample_row(id));
  core->begin_with({{{4, 4}, make_attempt_id(exploration_id{1}, 9)}});
  auto first = core->next(0);
  ASSERT_TRUE(first);
  auto view = first->read();
  EXPECT_EQ(view->getParameters()[0].getValue(), 4);
  ASSERT_EQ(view->getInjected().size(), 1u);
  EXPECT_STREQ(view->getInjected()[0].cStr(), make_attempt_id(exploration_id{1}, 9).text().c_str());
  auto second = core->next(0);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->read()->getInjected().size(), 0u) << "the policy's own";
}

TEST(exploration_core, what_is_recalled_and_not_tried_yet_survives_a_restart) {
  auto core = open_core(sample_row(id, 10, 1));
  core->begin_with({{{4, 4}, make_attempt_id(exploration_id{1}, 9)}, {{5, 5}, make_attempt_id(exploration_id{2}, 3)}});
  auto first = core->next(0);
  core->learn(*ended(*first, wire::OutcomeClass::IMPROVED).read(), 1);
  auto restarted = open_core(core->row(0, wire::ExplorationState::RUNNING), 1);
  auto next = restarted->next(0);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->read()->getParameters()[0].getValue(), 5);
}

TEST(exploration_core, a_recalled_attempt_that_was_interrupted_is_tried_again_with_its_source_of_experience) {
  auto core = open_core(sample_row(id, 10, 1));
  core->begin_with({{{4, 4}, make_attempt_id(exploration_id{1}, 9)}});
  auto first = core->next(0);
  core->learn(*ended(*first, wire::OutcomeClass::INTERRUPTED).read(), 1);
  auto again = core->next(0);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->read()->getInjected().size(), 1u);
}

TEST(exploration_core, refuses_a_snapshot_that_cannot_be_read_and_says_what_to_do) {
  auto row = exploration_row::changed(*sample_row(id).read(), [](wire::Exploration::Builder change) {
    std::string rubbish = "not json";
    change.setPolicySnapshot(kj::arrayPtr(reinterpret_cast<const kj::byte*>(rubbish.data()), rubbish.size()));
  });
  auto core = exploration_core::open(row, sample_space(), make_local_search(sample_space()), 1, 0);
  ASSERT_FALSE(core.ok());
  EXPECT_NE(core.failure().what.find("--new"), std::string::npos);
}

TEST(random_search, draws_every_point_of_a_small_space_once_and_then_has_nothing) {
  auto policy = make_random_search(sample_space());
  random_source random(1);
  std::map<point, int> visits;
  attempt_record record = attempt_record::build([](wire::Attempt::Builder) {});
  while (auto next = policy->next(random)) {
    ++visits[next->at];
    policy->learn(next->at, *record.read(), false);
    ASSERT_LE(visits.size(), 25u);
  }
  // 256 draws in a row miss a last point of 25 with probability (24/25)^256 < 1/30,000
  EXPECT_EQ(visits.size(), 25u);
  for (auto& [at, count] : visits) EXPECT_EQ(count, 1);
}

TEST(random_search, a_restored_snapshot_repeats_no_point) {
  auto policy = make_random_search(sample_space());
  random_source random(1);
  std::map<point, int> visits;
  for (int i = 0; i < 10; ++i) ++visits[policy->next(random)->at];
  auto restored = make_random_search(sample_space());
  ASSERT_TRUE(restored->restore(policy->snapshot()).ok());
  while (auto next = restored->next(random)) ++visits[next->at];
  for (auto& [at, count] : visits) EXPECT_EQ(count, 1);
  EXPECT_FALSE(restored->restore("rubbish").ok());
}

TEST(local_search, visits_every_point_of_a_small_space_once) {
  auto policy = make_local_search(sample_space());
  random_source random(1);
  std::map<point, int> visits;
  while (auto next = policy->next(random)) {
    ++visits[next->at];
    attempt_record record = attempt_record::build([](wire::Attempt::Builder) {});
    policy->learn(next->at, *record.read(), visits.size() == 1);
    ASSERT_LE(visits.size(), 25u);
  }
  // neighbours of the one centre, then random points until 64 draws in a row were known
  EXPECT_GE(visits.size(), 20u);
  for (auto& [at, count] : visits) EXPECT_EQ(count, 1);
}

TEST(local_search, climbs_to_the_top_of_a_smooth_hill) {
  auto policy = make_local_search(sample_space());
  random_source random(2);
  double best = -1;
  int attempts = 0;
  while (auto next = policy->next(random)) {
    ++attempts;
    double height = next->at[0] + next->at[1];
    attempt_record record = attempt_record::build([](wire::Attempt::Builder) {});
    policy->learn(next->at, *record.read(), height > best);
    best = std::max(best, height);
    if (best == 10) break;
  }
  EXPECT_EQ(best, 10);
  // 8 steps up, each among at most 4 neighbours of which 2 go up
  EXPECT_LE(attempts, 1 + 8 * 3);
}

attempt_record measured(double ratio) {
  return attempt_record::build([&](wire::Attempt::Builder attempt) {
    auto promotion = attempt.initPromotion();
    promotion.setRatio(ratio);
    promotion.setLow(ratio * 0.999);
    promotion.setHigh(ratio * 1.001);
    promotion.setPairs(10);
  });
}

TEST(local_search, follows_gains_that_are_too_small_to_be_promoted) {
  // Each step up is 1 % better: no comparison with the incumbent at the bottom claims it before the third step.
  auto policy = make_local_search(sample_space());
  random_source random(4);
  double incumbent = 2;  // height of the starting point
  double best = 0;
  for (int attempts = 0; attempts < 30; ++attempts) {
    auto next = policy->next(random);
    if (!next) break;
    double height = next->at[0] + next->at[1];
    bool promoted = attempts == 0 || height - incumbent > 3;
    if (promoted) incumbent = height;
    policy->learn(next->at, *measured(1 + 0.01 * (height - incumbent)).read(), promoted);
    best = std::max(best, height);
    if (best == 10) break;
  }
  EXPECT_EQ(best, 10);
}

TEST(local_search, its_snapshot_stays_below_the_bound_after_many_attempts) {
  auto wide = parameter_space::build([](wire::ParameterSpace::Builder space) {
    auto ranges = space.initRanges(2);
    for (unsigned i = 0; i < 2; ++i) {
      ranges[i].setMeaning(i ? "b" : "a");
      ranges[i].setOrdered(true);
      auto values = ranges[i].initValues(200);
      for (unsigned k = 0; k < 200; ++k) values.set(k, k);
    }
  });
  auto policy = make_local_search(wide);
  random_source random(3);
  attempt_record record = attempt_record::build([](wire::Attempt::Builder) {});
  for (int i = 0; i < 3'000; ++i) {  // more than tried_points_max
    auto next = policy->next(random);
    ASSERT_TRUE(next);
    policy->learn(next->at, *record.read(), i % 50 == 0);
  }
  EXPECT_LE(policy->snapshot().size(), policy_snapshot_bytes_max - 4096) << "the core adds a little of its own";
}

}  // namespace
}  // namespace kope
