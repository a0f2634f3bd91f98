// Cases that follow each other in one process: how many processes there are, what each may know and when, and that a
// fault is that of the case in which it happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "actors/evaluation/verification.hpp"
#include "tests/evaluation/small_tasks.hpp"

namespace kope {
namespace {

using namespace testing;
using wire::OutcomeClass;

/// Counts sessions and looks at what they hold at each call; forwards everything.
class watched_runner final : public runner {
public:
  explicit watched_runner(runner& behind) : behind_(behind) {}

  result<std::unique_ptr<runner_session>> open(const session_request& request) override {
    opened.push_back(groups_of(request));
    auto session = behind_.open(request);
    if (!session) return session;
    return std::unique_ptr<runner_session>(new watched(std::move(*session), opened.back(), *this));
  }
  std::string level() const override { return behind_.level(); }

  std::vector<std::vector<slot_group>> opened;
  size_t early_inputs = 0;  ///< slots that held something before they were called on

private:
  class watched final : public runner_session {
  public:
    watched(std::unique_ptr<runner_session> behind, const std::vector<slot_group>& groups, watched_runner& owner)
      : behind_(std::move(behind)), inputs_(groups.front().layout.input_bytes.size()), owner_(owner) {
      size_t slots = 0;
      for (const auto& group : groups) slots += group.layout.slots;
      called_.assign(slots, false);
    }
    std::span<std::byte> input(size_t slot, size_t tensor) override { return behind_->input(slot, tensor); }
    std::span<std::byte> output(size_t slot, size_t tensor) override { return behind_->output(slot, tensor); }
    result<batch_report> call(std::span<const uint32_t> slots, double seconds_max) override {
      for (uint32_t slot : slots) called_[slot] = true;
      for (size_t slot = 0; slot < called_.size(); ++slot) {
        if (called_[slot]) continue;
        for (size_t i = 0; i < inputs_; ++i)
          owner_.early_inputs +=
              std::ranges::any_of(behind_->input(slot, i), [](std::byte byte) { return byte != std::byte{0}; });
      }
      return behind_->call(slots, seconds_max);
    }
    result<unit> move_to(std::span<const int> cpus) override { return behind_->move_to(cpus); }
    std::string last_words() const override { return behind_->last_words(); }

  private:
    std::unique_ptr<runner_session> behind_;
    size_t inputs_;
    std::vector<bool> called_;
    watched_runner& owner_;
  };

  runner& behind_;
};

std::vector<small_case> twenty_cases() {
  std::vector<small_case> cases;
  for (uint32_t i = 0; i < 20; ++i)
    cases.push_back({"case_" + std::to_string(i),
                     i < 12   ? wire::CaseKind::VISIBLE
                     : i < 18 ? wire::CaseKind::HIDDEN
                              : wire::CaseKind::TIMED,
                     {50 + i, 3 + i, 5}});
  return cases;
}

class shared_process : public ::testing::Test {
protected:
  struct judged {
    OutcomeClass outcome;
    std::string detail;
    uint32_t cases;
  };
  judged judge(fake_kernel kernel, case_bank& with_bank) {
    bench.with.add("candidate", std::move(kernel));
    watched.opened.clear();
    auto found = verify_artifact(watched, with_bank, artifact_named("candidate"), {}, nullptr);
    EXPECT_TRUE(found.ok()) << (found ? "" : found.failure().what);
    auto view = found->read();
    return {view->getOutcome(), view->getDetail().cStr(), view->getCasesRun()};
  }
  judged judge(fake_kernel kernel) { return judge(std::move(kernel), *bench.bank); }
  /// Right, but for what `what` does in the case with so many rows.
  static fake_kernel except(uint32_t rows, std::function<void(float* output)> what) {
    return [right = matmul<float>(), rows, what](auto in, auto out, auto size) {
      right(in, out, size);
      if (size[0] == rows) what(static_cast<float*>(out[0]));
    };
  }
  fake_bench bench{twenty_cases()};
  watched_runner watched{bench.with};
};

TEST_F(shared_process, twenty_small_cases_and_a_drawn_one_twice_are_two_processes) {
  auto found = judge(matmul<float>());
  EXPECT_EQ(found.outcome, OutcomeClass::CORRECT_NOT_FASTER) << found.detail;
  EXPECT_EQ(found.cases, 22u);
  EXPECT_LE(watched.opened.size(), 2u);
}

TEST_F(shared_process, without_it_each_case_is_a_process) {
  case_bank alone(matmul_task(twenty_cases()), "oracle", "baseline", bench.with, 42, {}, {.shared_process = false});
  auto found = judge(matmul<float>(), alone);
  EXPECT_EQ(found.outcome, OutcomeClass::CORRECT_NOT_FASTER) << found.detail;
  EXPECT_EQ(watched.opened.size(), 22u);
}

TEST_F(shared_process, a_process_that_meets_told_cases_is_not_told_the_sizes_of_secret_ones) {
  judge(matmul<float>());
  auto is_told = [](const slot_group& group) {
    for (const auto& c : twenty_cases())
      if (c.kind != wire::CaseKind::HIDDEN &&
          group.layout.sizes == std::vector<int64_t>(c.sizes.begin(), c.sizes.end()))
        return true;
    return false;
  };
  size_t told_cases = 0;
  for (const auto& groups : watched.opened) {
    size_t told = static_cast<size_t>(std::ranges::count_if(groups, is_told));
    EXPECT_TRUE(told == 0 || told == groups.size()) << told << " of " << groups.size();
    told_cases += told;
  }
  EXPECT_EQ(told_cases, 14u);
}

TEST_F(shared_process, no_process_holds_inputs_of_a_case_before_it_is_called_on_them) {
  judge(matmul<float>());
  EXPECT_EQ(watched.early_inputs, 0u);
}

TEST_F(shared_process, no_contents_come_twice_so_that_memory_of_earlier_cases_answers_nothing) {
  auto seen = std::make_shared<std::set<std::string>>();
  auto twice = std::make_shared<size_t>(0);
  judge([=, right = matmul<float>()](auto in, auto out, auto size) {
    right(in, out, size);
    auto bytes = [&](size_t tensor, int64_t count) {
      return std::string(static_cast<const char*>(in[tensor]), static_cast<size_t>(count) * 4);
    };
    *twice += !seen->insert(bytes(0, size[0] * size[2]) + bytes(1, size[2] * size[1])).second;
  });
  EXPECT_EQ(seen->size(), 44u) << "two sets a case, the drawn one with four";
  EXPECT_EQ(*twice, 0u);
}

TEST_F(shared_process, a_wrong_answer_is_that_of_the_case_in_which_it_was_given) {
  const auto cases = twenty_cases();
  for (const auto& c : cases) {
    auto found = judge(except(c.sizes[0], [](float* output) { output[1] += 1; }));
    EXPECT_EQ(found.outcome, OutcomeClass::WRONG_ANSWER) << c.name;
    if (c.kind == wire::CaseKind::HIDDEN) {
      EXPECT_EQ(found.detail, "hidden case failed");
    } else {
      EXPECT_EQ(found.detail.rfind("case " + c.name + " (m = ", 0), 0u) << found.detail;
      EXPECT_NE(found.detail.find("element 1 is"), std::string::npos) << found.detail;
    }
  }
}

TEST_F(shared_process, a_crash_is_that_of_the_case_in_which_it_happened) {
  auto crash = [](float*) { throw batch_report{.end = batch_end::crashed, .status = SIGSEGV}; };
  auto told = judge(except(55, crash));
  EXPECT_EQ(told.outcome, OutcomeClass::CRASHED);
  EXPECT_EQ(told.detail.rfind("case case_5 (m = 55, n = 8, k = 5): died of signal 11", 0), 0u) << told.detail;
  EXPECT_EQ(told.cases, 6u);
  EXPECT_EQ(watched.opened.size(), 1u) << "nothing is tried again";
  auto secret = judge(except(64, crash));
  EXPECT_EQ(secret.outcome, OutcomeClass::CRASHED);
  EXPECT_EQ(secret.detail, "hidden case failed");
}

TEST_F(shared_process, a_starved_case_is_repeated_alone_and_what_follows_goes_on_in_another_process) {
  auto starved = std::make_shared<bool>(true);
  auto found = judge(except(53, [starved](float*) {
    if (std::exchange(*starved, false))
      throw batch_report{.end = batch_end::timed_out, .seconds = 1, .cpu_seconds = 0.1};
  }));
  EXPECT_EQ(found.outcome, OutcomeClass::CORRECT_NOT_FASTER) << found.detail;
  EXPECT_EQ(found.cases, 22u);
  ASSERT_EQ(watched.opened.size(), 4u) << "told cases, the starved one, the other told ones, secret ones";
  EXPECT_EQ(watched.opened[1].size(), 1u);
  EXPECT_EQ(watched.opened[1][0].layout.sizes[0], 53);
  EXPECT_EQ(watched.opened[2][0].layout.sizes[0], 54);
  auto always = judge(
      except(53, [](float*) { throw batch_report{.end = batch_end::timed_out, .seconds = 1, .cpu_seconds = 0.1}; }));
  EXPECT_EQ(always.outcome, OutcomeClass::TIMED_OUT);
  EXPECT_EQ(always.detail.rfind("case case_3 ", 0), 0u) << always.detail;
  EXPECT_EQ(watched.opened.size(), 2u);
}

TEST_F(shared_process, a_kernel_that_sleeps_where_it_has_seen_another_shape_does_not_get_a_process_a_case) {
  auto first = std::make_shared<int64_t>(0);
  bench.with.at_open = [first](const std::string& name) {  // a new process has seen nothing
    if (name == "candidate") *first = 0;
  };
  auto found = judge([first, right = matmul<float>()](auto in, auto out, auto size) {
    if (*first == 0) *first = size[0];
    if (size[0] == *first) return right(in, out, size);
    throw batch_report{.end = batch_end::timed_out, .seconds = 1, .cpu_seconds = 0.01};
  });
  EXPECT_EQ(found.outcome, OutcomeClass::TIMED_OUT) << found.detail;
  EXPECT_EQ(found.detail.rfind("case case_5 ", 0), 0u) << "cases 1 and 3 were repeated alone: " << found.detail;
}

TEST_F(shared_process, an_answer_that_comes_one_call_late_is_not_there) {
  struct call {
    const void* in[2];
    void* out[1];
    int64_t size[3];
  };
  auto owed = std::make_shared<std::optional<call>>();
  auto found = judge([owed, right = matmul<float>()](auto in, auto out, auto size) {
    if (*owed) right((*owed)->in, (*owed)->out, (*owed)->size);
    *owed = call{{in[0], in[1]}, {out[0]}, {size[0], size[1], size[2]}};
  });
  EXPECT_EQ(found.outcome, OutcomeClass::WRONG_ANSWER);
  EXPECT_EQ(found.detail, "case case_0 (m = 50, n = 3, k = 5): element 0 was not written");
}

TEST_F(shared_process, a_kernel_right_only_in_the_first_case_of_its_process_is_wrong_in_the_second) {
  auto first = std::make_shared<int64_t>(0);
  auto found = judge([first, right = matmul<float>()](auto in, auto out, auto size) {
    if (*first == 0) *first = size[0];
    if (size[0] == *first) right(in, out, size);
  });
  EXPECT_EQ(found.outcome, OutcomeClass::WRONG_ANSWER);
  EXPECT_EQ(found.detail.rfind("case case_1 ", 0), 0u) << found.detail;
}

}  // namespace
}  // namespace kope
