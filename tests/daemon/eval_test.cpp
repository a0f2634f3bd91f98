// `kope eval` as a user types it, with the real compiler and runner: each way in which a source can be wrong gets its
// class within its deadline, leaves nothing running, and the next judgement works.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace kope::testing {
namespace {

const std::string data = KOPE_TEST_DATA;
const std::string small_task = data + "/tasks/small_matmul";

struct judgement {
  std::optional<int> code;
  nlohmann::json document = nlohmann::json::object();
  std::string err;

  std::string outcome() const { return document.value("outcome", "none"); }
  std::string reason() const { return document.value("reason", "none"); }
};

class eval_test : public ::testing::Test {
protected:
  judgement judge(const std::string& source) {
    auto ended = kope(home, {"eval", small_task, data + "/eval/" + source + ".cpp", "--json"});
    EXPECT_EQ(processes_left_after(home, std::chrono::seconds(2)), std::vector<std::string>());
    judgement judged{ended.code, nlohmann::json::parse(ended.out, nullptr, false), ended.err};
    EXPECT_TRUE(judged.document.is_object()) << ended.out << ended.err;
    if (!judged.document.is_object()) judged.document = nlohmann::json::object();
    for (auto key : {"outcome", "speedup", "interval", "toolchain", "reason"})
      EXPECT_TRUE(judged.document.contains(key)) << key;
    return judged;
  }
  /// A judgement does not depend on the one before it.
  void expect_that_the_next_one_works() {
    auto next = judge("no_kernel");
    EXPECT_EQ(next.outcome(), "build_failed") << next.err;
    auto verified = judge("hidden_element");
    EXPECT_EQ(verified.outcome(), "wrong_answer") << verified.err;
  }

  program_home home;
};

TEST_F(eval_test, one_wrong_element_in_a_hidden_case_is_a_wrong_answer_and_no_word_more) {
  auto judged = judge("hidden_element");
  EXPECT_EQ(judged.outcome(), "wrong_answer") << judged.err;
  EXPECT_EQ(judged.code, 6);
  EXPECT_EQ(judged.reason(), "hidden case failed");
  EXPECT_TRUE(judged.document["speedup"].is_null());
  EXPECT_TRUE(judged.document["interval"].is_null());
}

TEST_F(eval_test, an_endless_loop_is_timed_out) {
  auto judged = judge("endless");
  EXPECT_EQ(judged.outcome(), "timed_out") << judged.err;
  EXPECT_EQ(judged.code, 6);
  expect_that_the_next_one_works();
}

TEST_F(eval_test, a_write_to_nowhere_is_a_crash_and_its_signal_is_named) {
  auto judged = judge("null_write");
  EXPECT_EQ(judged.outcome(), "crashed") << judged.err;
  EXPECT_EQ(judged.code, 6);
  EXPECT_NE(judged.reason().find("signal 11"), std::string::npos) << judged.reason();
  expect_that_the_next_one_works();
}

TEST_F(eval_test, eight_gibibytes_are_out_of_memory) {
  auto judged = judge("eight_gibibytes");
  EXPECT_EQ(judged.outcome(), "out_of_memory") << judged.err;
  EXPECT_EQ(judged.code, 6);
  expect_that_the_next_one_works();
}

TEST_F(eval_test, a_syntax_error_is_a_failed_build_with_its_line) {
  auto judged = judge("syntax_error");
  EXPECT_EQ(judged.outcome(), "build_failed") << judged.err;
  EXPECT_EQ(judged.code, 6);
  EXPECT_NE(judged.reason().find(":3:"), std::string::npos) << judged.reason();
}

TEST_F(eval_test, a_source_without_the_kernel_is_a_failed_build_that_names_it) {
  auto judged = judge("no_kernel");
  EXPECT_EQ(judged.outcome(), "build_failed") << judged.err;
  EXPECT_EQ(judged.code, 6);
  EXPECT_NE(judged.reason().find("`kernel'"), std::string::npos) << judged.reason();
}

TEST_F(eval_test, a_kernel_that_exits_with_success_is_no_success) {
  auto judged = judge("leaves");
  EXPECT_EQ(judged.outcome(), "sandbox_violation") << judged.err;
  EXPECT_EQ(judged.code, 6);
  EXPECT_NE(judged.reason().find("uses "), std::string::npos) << judged.reason();
  expect_that_the_next_one_works();
}

TEST_F(eval_test, a_right_kernel_that_does_three_times_the_work_is_never_an_improvement) {
  auto judged = judge("slower");
  EXPECT_TRUE(judged.outcome() == "correct_not_faster" || judged.outcome() == "undecided")
      << judged.outcome() << ": " << judged.reason() << judged.err;
  EXPECT_EQ(judged.code, 6);
}

// A machine that is too busy to measure says so: `undecided` is an honest answer. That it is busy for three
// comparisons with a kernel this fast would be a fault of ours.
TEST_F(eval_test, resident_data_is_told_from_rotating_and_not_timed_where_it_does_not_fit) {
  std::string source = data + "/eval/slower.cpp";
  for (std::string timing : {"resident", "rotating"}) {
    auto ended = kope(home, {"eval", small_task, source, "--json", "--timing", timing});
    auto document = nlohmann::json::parse(ended.out, nullptr, false);
    ASSERT_TRUE(document.is_object()) << ended.out << ended.err;
    EXPECT_EQ(document["timing"], timing) << document;
  }
  auto large = kope(home, {"eval", "matmul", source, "--case", "large", "--timing", "resident"});
  EXPECT_EQ(large.code, 2) << large.out;
  EXPECT_NE(large.err.find("half of the second cache level"), std::string::npos) << large.err;
  EXPECT_EQ(kope(home, {"eval", small_task, source, "--timing", "warm"}).code, 2);
  EXPECT_EQ(kope(home, {"list", "--timing", "resident"}).code, 2) << "an option that would do nothing";
}

TEST_F(eval_test, a_kernel_that_is_many_times_faster_is_an_improvement_with_an_interval_around_its_speedup) {
  judgement judged;
  for (int attempt = 0; attempt < 3 && judged.outcome() != "improved"; ++attempt) {
    judged = judge("faster");
    ASSERT_TRUE(judged.outcome() == "improved" || judged.outcome() == "undecided")
        << judged.outcome() << ": " << judged.reason() << judged.err;
    EXPECT_EQ(judged.code, judged.outcome() == "improved" ? 0 : 6);
  }
  ASSERT_EQ(judged.outcome(), "improved");
  auto interval = judged.document["interval"];
  ASSERT_TRUE(interval.is_array() && interval.size() == 2 && interval[0].is_number() && interval[1].is_number())
      << judged.document;
  double speedup = judged.document["speedup"];
  EXPECT_GT(interval[0].get<double>(), 1);
  EXPECT_LE(interval[0].get<double>(), speedup);
  EXPECT_GE(interval[1].get<double>(), speedup);
}

TEST_F(eval_test, keeps_nothing_without_record_and_the_attempt_with_it) {
  auto source = data + "/eval/hidden_element.cpp";
  ASSERT_EQ(kope(home, {"eval", small_task, source}).code, 6);
  EXPECT_FALSE(std::filesystem::exists(home.data() / "graph"));
  ASSERT_EQ(kope(home, {"eval", small_task, source, "--record"}).code, 6);
  auto shown = kope(home, {"show", "0000000000000001", "--json"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  auto document = nlohmann::json::parse(shown.out);
  ASSERT_EQ(document["attempts"].size(), 1u);
  EXPECT_EQ(document["attempts"][0]["outcome"], "wrong_answer");
}

}  // namespace
}  // namespace kope::testing
