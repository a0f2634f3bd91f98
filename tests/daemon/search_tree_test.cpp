// What `kope tree` draws of stored attempts, without a program.
#include "daemon/search_tree.hpp"

#include <gtest/gtest.h>

#include "tests/support/sample_work.hpp"

namespace kope::testing {
namespace {

constexpr exploration_id exploration{3};

std::string id(uint32_t number) { return make_attempt_id(exploration, number).text(); }

attempt_record attempt(uint32_t number, wire::OutcomeClass outcome, const std::string& parent, double ratio,
                       double width) {
  return attempt_record::build([&](wire::Attempt::Builder made) {
    fill_header(made.initHeader(), exploration, number);
    made.setOutcome(outcome);
    made.setParent(parent);
    auto parameter = made.initParameters(1)[0];
    parameter.setMeaning("vector_width");
    parameter.setValue(width);
    if (ratio == 0) return;
    auto promotion = made.initPromotion();
    promotion.setRatio(ratio);
    promotion.setPairs(12);
  });
}

using kind = wire::OutcomeClass;

TEST(search_tree, hangs_each_attempt_below_the_one_whose_source_it_changed) {
  std::vector<attempt_record> attempts{attempt(1, kind::IMPROVED, "", 4, 8), attempt(2, kind::IMPROVED, id(1), 1.5, 16),
                                       attempt(3, kind::WRONG_ANSWER, id(1), 0, 4),
                                       attempt(4, kind::CORRECT_NOT_FASTER, id(9), 0.5, 2)};
  auto tree = search_tree(attempts);
  ASSERT_EQ(tree.size(), 5u);
  EXPECT_EQ(tree[0].children, (std::vector<size_t>{1, 4})) << "an unknown parent is the reference";
  EXPECT_EQ(tree[1].children, (std::vector<size_t>{2, 3}));
  EXPECT_EQ(search_tree_lines(tree, 3),
            (std::vector<std::string>{"the reference",                                   //
                                      "├─ #1  4x  improved  vector_width 8",             //
                                      "│  ├─ #2  1.5x  improved  vector_width 8 -> 16",  //
                                      "│  └─ #3  wrong_answer  vector_width 8 -> 4",     //
                                      "└─ #4  0.5x  correct_not_faster  vector_width 2"}));
}

TEST(search_tree, counts_what_has_no_line_and_shows_the_best_of_it) {
  std::vector<attempt_record> attempts;
  for (uint32_t number = 1; number <= 9; ++number)
    attempts.push_back(attempt(number, kind::CORRECT_NOT_FASTER, "", 0.1 * number, number));
  attempts.push_back(attempt(10, kind::BUILD_FAILED, "", 0, 1));
  auto lines = search_tree_lines(search_tree(attempts), 2);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1].substr(lines[1].find('#'), 2), "#8");
  EXPECT_EQ(lines[2].substr(lines[2].find('#'), 2), "#9");
  EXPECT_EQ(lines[3], "└─ 8 more: 1 build_failed, 7 correct_not_faster");
}

TEST(search_tree, draws_a_chain_of_ten_thousand_gains_without_leaving_the_screen) {
  std::vector<attempt_record> attempts;
  for (uint32_t number = 1; number <= 10'000; ++number)
    attempts.push_back(attempt(number, kind::IMPROVED, number == 1 ? "" : id(number - 1), 1.04, number));
  auto lines = search_tree_lines(search_tree(attempts), 3);
  ASSERT_EQ(lines.size(), 10'001u);
  for (const auto& line : lines) EXPECT_LT(line.find('#') == std::string::npos ? 0 : line.find('#'), 80u);
}

TEST(search_tree, of_nothing_is_the_reference) {
  EXPECT_EQ(search_tree_lines(search_tree({}), 3), std::vector<std::string>{"the reference"});
}

}  // namespace
}  // namespace kope::testing
