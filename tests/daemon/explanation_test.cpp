// What `kope explain` says of stored attempts, without a program.
#include "daemon/explanation.hpp"

#include <gtest/gtest.h>

#include "tests/support/sample_work.hpp"

namespace kope::testing {
namespace {

constexpr exploration_id exploration{3};

std::string id(uint32_t number) { return make_attempt_id(exploration, number).text(); }

attempt_record attempt(uint32_t number, wire::OutcomeClass outcome, const std::string& against, double ratio,
                       double width, double fraction = 0) {
  return attempt_record::build([&](wire::Attempt::Builder made) {
    fill_header(made.initHeader(), exploration, number);
    made.setOutcome(outcome);
    auto parameter = made.initParameters(1)[0];
    parameter.setMeaning("vector_width");
    parameter.setValue(width);
    if (ratio == 0) return;
    made.setIncumbent(against == "reference" ? "" : against);
    auto promotion = made.initPromotion();
    promotion.setAgainst(against);
    promotion.setRatio(ratio);
    promotion.setPairs(12);
    promotion.setFractionOfLimit(fraction);
  });
}

TEST(explanation, goes_from_the_reference_to_the_winner_by_promotions) {
  std::vector<attempt_record> attempts{
      attempt(1, wire::OutcomeClass::IMPROVED, "reference", 4, 8, 0.4),
      attempt(2, wire::OutcomeClass::CORRECT_NOT_FASTER, id(1), 0.5, 4),
      attempt(3, wire::OutcomeClass::WRONG_ANSWER, "", 0, 2),
      attempt(4, wire::OutcomeClass::IMPROVED, id(1), 2, 16, 0.8),
      attempt(5, wire::OutcomeClass::CORRECT_NOT_FASTER, id(4), 0.9, 8),
  };
  auto found = explain(attempts, id(4));
  ASSERT_TRUE(found) << found.failure().what;
  ASSERT_EQ(found->steps.size(), 2u);
  EXPECT_EQ(found->steps[0].against, "reference");
  EXPECT_DOUBLE_EQ(found->steps[0].fraction_before, 0.1);
  EXPECT_FALSE(found->steps[0].changes.at(0).had_before);
  EXPECT_EQ(found->steps[1].against, id(1));
  EXPECT_DOUBLE_EQ(found->steps[1].fraction_before, 0.4);
  EXPECT_DOUBLE_EQ(found->steps[1].fraction_after, 0.8);
  EXPECT_EQ(found->steps[1].changes.at(0).before, 8);
  EXPECT_EQ(found->steps[1].changes.at(0).after, 16);
}

TEST(explanation, counts_what_lost_against_each_step_and_shows_the_worst_of_it) {
  std::vector<attempt_record> attempts{attempt(1, wire::OutcomeClass::IMPROVED, "reference", 4, 8)};
  for (uint32_t number = 2; number < 8; ++number)
    attempts.push_back(attempt(number, wire::OutcomeClass::CORRECT_NOT_FASTER, id(1), 1.0 / number, number));
  attempts.push_back(attempt(8, wire::OutcomeClass::BUILD_FAILED, "", 0, 2));
  auto found = explain(attempts, id(1));
  ASSERT_TRUE(found) << found.failure().what;
  EXPECT_TRUE(found->steps[0].outcomes.empty());
  EXPECT_EQ(found->outcomes, (std::map<std::string, unsigned>{{"build_failed", 1}, {"correct_not_faster", 6}}));
  ASSERT_EQ(found->lost.size(), 3u);
  EXPECT_EQ(found->lost[0].attempt.read()->getHeader().getNumber(), 7u);
}

TEST(explanation, without_a_winner_has_no_steps_and_still_says_what_was_tried) {
  auto found = explain({attempt(1, wire::OutcomeClass::CORRECT_NOT_FASTER, "reference", 0.7, 4)}, "");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->steps.empty());
  EXPECT_EQ(found->outcomes.at("correct_not_faster"), 1u);
}

TEST(explanation, refuses_promotions_that_go_in_a_circle_or_lead_nowhere) {
  EXPECT_FALSE(explain(
      {attempt(1, wire::OutcomeClass::IMPROVED, id(2), 2, 4), attempt(2, wire::OutcomeClass::IMPROVED, id(1), 2, 4)},
      id(1)));
  EXPECT_FALSE(explain({attempt(1, wire::OutcomeClass::IMPROVED, id(9), 2, 4)}, id(1)));
}

}  // namespace
}  // namespace kope::testing
