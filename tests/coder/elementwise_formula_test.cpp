#include "actors/coder/schedule/families/elementwise_formula.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace kope {
namespace {

const std::vector<std::string> x_alone = {"x"}, two = {"a", "b_2"};

std::string translated(std::string_view formula, const std::vector<std::string>& inputs = x_alone) {
  auto made = translate_formula(formula, inputs);
  EXPECT_TRUE(made) << made.failure().what;
  return made ? made->text : "";
}

std::string complaint(std::string_view formula, const std::vector<std::string>& inputs = x_alone) {
  auto made = translate_formula(formula, inputs);
  EXPECT_FALSE(made) << made->text;
  if (made) return "";
  EXPECT_EQ(made.failure().code, errc::invalid_input);
  const std::string begin = "the formula '" + std::string(formula) + "' is wrong: ";
  EXPECT_EQ(made.failure().what.rfind(begin, 0), 0u) << made.failure().what;
  return made.failure().what.substr(begin.size());
}

TEST(elementwise_formula, becomes_arithmetic_of_vectors) {
  EXPECT_EQ(translated("x"), "x_");
  EXPECT_EQ(translated("-x*2"), "(-x_) * number(2.0f)");
  EXPECT_EQ(translated("1 - x - 3e-1 * x"), "number(1.0f) - x_ - number(0.300000012f) * x_");
  EXPECT_EQ(translated("x / (1 + exp(-x))"), "x_ / (number(1.0f) + exp_of((-x_)))");
  EXPECT_EQ(translated("a*(b_2 + 0.5)", two), "a_ * (b_2_ + number(0.5f))");
}

TEST(elementwise_formula, says_which_functions_it_needs) {
  auto made = translate_formula("tanh(x) + erf(erf(x))", x_alone);
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->tanh && made->erf);
  EXPECT_FALSE(made->exp);
}

TEST(elementwise_formula, a_mistake_is_one_sentence_with_its_place) {
  EXPECT_EQ(complaint("x +* 2"), "'*' does not begin a value, at character 4");
  EXPECT_EQ(complaint("x +"), "a value is missing, at character 4");
  EXPECT_EQ(complaint("(x + 1"), "a ')' is missing, at character 7");
  EXPECT_EQ(complaint("x x"), "'x' does not belong there, at character 3");
  EXPECT_EQ(complaint("sin(x)"), "'sin' is neither an input of the task nor exp, tanh or erf, at character 1");
  EXPECT_EQ(complaint("exp x"), "'exp' is a function and needs a '(', at character 5");
  EXPECT_EQ(complaint("a + 1", two), "the input 'b_2' is not in it, at character 6");
  EXPECT_EQ(complaint("x * 1e99"), "a number is beyond f32, at character 9");
  EXPECT_EQ(complaint("x * 1e"), "an exponent is missing, at character 7");
  EXPECT_EQ(complaint(""), "a value is missing, at character 1");
}

TEST(elementwise_formula, nesting_and_length_have_limits) {
  EXPECT_NE(complaint(std::string(40, '(') + "x" + std::string(40, ')')).find("too deeply"), std::string::npos);
  EXPECT_NE(complaint(std::string(100, '-') + "x").find("too many signs"), std::string::npos);
  std::string chain = "x";
  for (int i = 0; i < 1000; ++i) chain += "+x";
  auto made = translate_formula(chain, x_alone);
  ASSERT_FALSE(made);
  EXPECT_NE(made.failure().what.find("longer than 1024"), std::string::npos);
}

// What is taken consists of what the grammar has: no text of a task's writer gets into a source.
RC_GTEST_PROP(elementwise_formula, lets_nothing_through_that_is_not_arithmetic, ()) {
  static const std::vector<std::string> pieces = {"x", "exp", "tanh(", "(",  ")",  "+",   "-",   "*",
                                                  "/", "1.5", "2e3",   " ",  "\"", ";",   "}",   ".",
                                                  "e", "_",   "#",     "\n", "//", "erf", "0x1", "\\"};
  const auto chosen = *rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(0, pieces.size()));
  std::string formula;
  for (size_t one : chosen) formula += pieces[one];
  auto made = translate_formula(formula, x_alone);
  if (!made) {
    RC_ASSERT(made.failure().code == errc::invalid_input);
    return;
  }
  RC_ASSERT(made->text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789.()+-*/ ") == std::string::npos);
  RC_ASSERT(made->text.find("//") == std::string::npos);
}

}  // namespace
}  // namespace kope
