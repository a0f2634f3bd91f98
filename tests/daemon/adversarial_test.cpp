// `kope doctor --adversarial` and `kope task check` as a user types them. The whole suite with KOPE_TEST_ALL=1.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace kope::testing {
namespace {

nlohmann::json tried(const program_home& home, const std::string& only, int code) {
  auto ended = kope(home, {"doctor", "--adversarial", "--only", only, "--json"});
  EXPECT_EQ(ended.code, code) << ended.out << ended.err;
  auto document = nlohmann::json::parse(ended.out, nullptr, false);
  EXPECT_TRUE(document.is_object()) << ended.out << ended.err;
  return document;
}

TEST(doctor_adversarial, catches_a_cheat_and_names_the_defence) {
  program_home home;
  auto document = tried(home, "hostile/skips_the_second_call", 0);
  ASSERT_EQ(document["sources"].size(), 1u);
  auto source = document["sources"][0];
  EXPECT_EQ(source["finding"], "as_expected");
  EXPECT_EQ(source["outcome"], "wrong_answer");
  EXPECT_EQ(source["defences"][0], "poison");
  EXPECT_EQ(document["totals"]["got_through"], 0);
  EXPECT_EQ(processes_left_after(home, std::chrono::seconds(2)), std::vector<std::string>());
}

TEST(doctor_adversarial, lets_an_honest_source_pass_that_speaks_of_forbidden_things) {
  program_home home;
  EXPECT_EQ(tried(home, "honest/banned_words_in_comments", 0)["totals"]["as_expected"], 1);
}

TEST(doctor_adversarial, a_source_with_a_zero_byte_is_no_code_and_no_error_of_ours) {
  program_home home;
  auto source = tried(home, "hostile/has_a_zero_byte", 0)["sources"][0];
  EXPECT_EQ(source["outcome"], "no_code") << source;
}

TEST(doctor_adversarial, what_has_no_such_name_is_not_found) {
  program_home home;
  auto ended = kope(home, {"doctor", "--adversarial", "--only", "no_such_source"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_NE(ended.err.find("no_such_source"), std::string::npos);
  EXPECT_EQ(kope(home, {"doctor", "--only", "x"}).code, 2) << "--only is for --adversarial";
}

TEST(doctor_adversarial, every_source_is_judged_as_its_header_says) {
  if (!getenv("KOPE_TEST_ALL")) GTEST_SKIP() << "takes minutes: KOPE_TEST_ALL=1";
  program_home home;
  program running(home, {"doctor", "--adversarial", "--json"});
  auto code = running.end_within(std::chrono::minutes(14));
  EXPECT_EQ(code, 0) << running.out();
}

TEST(task_check, a_task_whose_answers_are_all_lost_in_rounding_is_not_fit) {
  program_home home;
  auto task = std::string(KOPE_SHIPPED_CONFIG) + "/adversarial/tasks/vanishing";
  auto ended = kope(home, {"task", "check", task, "--json"});
  EXPECT_EQ(ended.code, 6) << ended.out << ended.err;
  auto document = nlohmann::json::parse(ended.out, nullptr, false);
  EXPECT_EQ(document["fit"], false);
  EXPECT_EQ(document["reason"], "timed case timed tells nothing: zeros pass");
}

TEST(task_check, a_task_that_tells_right_from_wrong_is_fit) {
  program_home home;
  auto task = std::string(KOPE_SHIPPED_CONFIG) + "/adversarial/tasks/product";
  auto ended = kope(home, {"task", "check", task});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_EQ(ended.out, "product: fit to be a task\n");
}

}  // namespace
}  // namespace kope::testing
