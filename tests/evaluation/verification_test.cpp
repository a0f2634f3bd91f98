#include "actors/evaluation/verification.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstring>

#include "tests/evaluation/small_tasks.hpp"

namespace kope {
namespace {

using namespace testing;
using wire::OutcomeClass;

struct judged {
  OutcomeClass outcome;
  std::string detail;
  uint32_t cases;
  double worst;
};

class verification : public ::testing::Test {
protected:
  judged judge(const std::string& artifact) {
    auto found = verify_artifact(bench.with, *bench.bank, artifact_named(artifact), {}, nullptr);
    EXPECT_TRUE(found.ok()) << (found ? "" : found.failure().what);
    auto view = found->read();
    return {view->getOutcome(), view->getDetail().cStr(), view->getCasesRun(), view->getWorstError()};
  }
  judged judge(fake_kernel kernel) {
    std::string name = "candidate " + std::to_string(++number);
    bench.with.add(name, std::move(kernel));
    return judge(name);
  }
  fake_bench bench;
  int number = 0;
};

TEST_F(verification, an_honest_kernel_is_correct_on_every_case_and_a_drawn_one_twice) {
  auto found = judge(matmul<float>());
  EXPECT_EQ(found.outcome, OutcomeClass::CORRECT_NOT_FASTER) << found.detail;
  EXPECT_EQ(found.cases, small_cases().size() + 2);
  EXPECT_LT(found.worst, 1);
}

TEST_F(verification, the_oracle_runs_once_however_many_candidates_there_are) {
  judge(matmul<float>());
  auto after_one = bench.with.of("oracle").calls;
  judge(matmul<float>());
  EXPECT_EQ(bench.with.of("oracle").calls, after_one);
}

TEST_F(verification, a_kernel_that_does_nothing_leaves_poison) {
  auto found = judge([](auto...) {});
  EXPECT_EQ(found.outcome, OutcomeClass::WRONG_ANSWER);
  EXPECT_EQ(found.detail, "case square (m = 16, n = 16, k = 16): element 0 was not written");
}

TEST_F(verification, a_wrong_element_of_a_hidden_case_is_found_and_not_told) {
  auto found = judge([right = matmul<float>()](auto in, auto out, auto size) {
    right(in, out, size);
    if (size[0] == 19) static_cast<float*>(out[0])[size[0] * size[1] - 1] *= 1.01f;
  });
  EXPECT_EQ(found.outcome, OutcomeClass::WRONG_ANSWER);
  EXPECT_EQ(found.detail, "hidden case failed");
  EXPECT_LT(found.worst, 1) << "how wrong it is stays secret too";
}

TEST_F(verification, a_kernel_wrong_for_sizes_in_no_list_meets_the_drawn_shape) {
  auto listed = [](const int64_t* size) {
    for (const auto& c : small_cases())
      if (c.sizes[0] == size[0] && c.sizes[1] == size[1] && c.sizes[2] == size[2]) return true;
    return false;
  };
  auto found = judge([right = matmul<float>(), listed](auto in, auto out, auto size) {
    if (listed(size)) right(in, out, size);
  });
  EXPECT_EQ(found.outcome, OutcomeClass::WRONG_ANSWER);
  EXPECT_EQ(found.detail, "hidden case failed");
}

TEST_F(verification, an_answer_kept_from_the_first_call_is_wrong_on_the_second_set) {
  auto found = judge(
      [right = matmul<float>(), kept = std::vector<float>(), seen = int64_t{0}](auto in, auto out, auto size) mutable {
        size_t n = static_cast<size_t>(size[0] * size[1]);
        if (seen != size[0]) {
          right(in, out, size);
          kept.assign(static_cast<float*>(out[0]), static_cast<float*>(out[0]) + n);
          seen = size[0];
        } else {
          std::memcpy(out[0], kept.data(), n * sizeof(float));
        }
      });
  EXPECT_EQ(found.outcome, OutcomeClass::WRONG_ANSWER);
}

TEST_F(verification, nan_and_constant_outputs_are_wrong) {
  for (float value : {std::nanf(""), 0.f, 1.f}) {
    auto found = judge(
        [value](auto, auto out, auto size) { std::fill_n(static_cast<float*>(out[0]), size[0] * size[1], value); });
    EXPECT_EQ(found.outcome, OutcomeClass::WRONG_ANSWER) << value;
  }
}

TEST_F(verification, ends_of_a_process_become_outcome_classes) {
  auto ending = [this](batch_end end, int status, double cpu_seconds = 0) {
    return judge([=](auto...) {
             throw batch_report{.end = end, .status = status, .seconds = 1, .cpu_seconds = cpu_seconds};
           })
        .outcome;
  };
  EXPECT_EQ(ending(batch_end::crashed, SIGSEGV), OutcomeClass::CRASHED);
  EXPECT_EQ(ending(batch_end::crashed, SIGSYS), OutcomeClass::SANDBOX_VIOLATION);
  EXPECT_EQ(ending(batch_end::exited, 0), OutcomeClass::CRASHED);
  EXPECT_EQ(ending(batch_end::timed_out, 0, 1), OutcomeClass::TIMED_OUT);
  EXPECT_EQ(judge("no such artifact").outcome, OutcomeClass::CRASHED);
}

TEST_F(verification, a_timeout_without_cpu_time_is_tried_once_more) {
  auto starved = std::make_shared<bool>(true);
  auto found = judge([right = matmul<float>(), starved](auto in, auto out, auto size) {
    if (std::exchange(*starved, false))
      throw batch_report{.end = batch_end::timed_out, .seconds = 1, .cpu_seconds = 0.1};
    right(in, out, size);
  });
  EXPECT_EQ(found.outcome, OutcomeClass::CORRECT_NOT_FASTER) << found.detail;
}

TEST_F(verification, a_failing_oracle_is_our_error) {
  bench.with.add("oracle", [](auto...) { throw batch_report{batch_end::crashed, SIGSEGV}; });
  auto found = verify_artifact(bench.with, *bench.bank, artifact_named("baseline"), {}, nullptr);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.failure().what.find("reference of task matmul"), std::string::npos);
}

TEST_F(verification, stops_when_cancelled) {
  auto cancel = std::make_shared<std::atomic<bool>>(true);
  auto found = verify_artifact(bench.with, *bench.bank, artifact_named("baseline"), {}, cancel);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.failure().code, errc::cancelled);
}

}  // namespace
}  // namespace kope
