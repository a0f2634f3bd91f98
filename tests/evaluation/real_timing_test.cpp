// Timing through the real compiler and runner.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "actors/evaluation/paired_timing.hpp"
#include "tests/evaluation/real_bench.hpp"

namespace kope {
namespace {

using namespace testing;
using wire::Decision;
using wire::OutcomeClass;

class real_timing : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    bench = new real_bench(matmul_task(
        {{"small", wire::CaseKind::VISIBLE, {8, 8, 8}}, {"timed", wire::CaseKind::TIMED, {256, 256, 256}}}));
  }
  static void TearDownTestSuite() {
    delete bench;
    bench = nullptr;
  }
  result<timing_result> compare(const std::string& older, const std::string& newer, uint64_t first_set = 0) {
    timing_options options;
    options.cpus = {0, 1};
    options.first_set = first_set;
    return compare_artifacts(bench->with(), bench->bank(), *bench->bank().case_named("timed"),
                             std::as_bytes(std::span(older)), std::as_bytes(std::span(newer)), options, nullptr);
  }
  static real_bench* bench;
};
real_bench* real_timing::bench = nullptr;

TEST_F(real_timing, a_loop_interchange_is_faster_than_the_reference) {
  auto found = compare(std::string(bench->bank().baseline()), bench->artifact(product_source()));
  ASSERT_TRUE(found.ok()) << found.failure().what;
  auto view = found->compared.read();
  EXPECT_EQ(found->fault, OutcomeClass::IMPROVED) << found->fault_detail;
  EXPECT_EQ(view->getDecision(), Decision::FASTER);
  EXPECT_GT(view->getLow(), 1.3);
}

TEST_F(real_timing, a_kernel_that_is_right_for_its_first_calls_only_is_caught) {
  auto found = compare(std::string(bench->bank().baseline()),
                       bench->artifact(product_source("if (++calls > 12) c[7] += 1;", "static int calls;")));
  ASSERT_TRUE(found.ok()) << found.failure().what;
  EXPECT_EQ(found->fault, OutcomeClass::WRONG_ANSWER);
}

TEST_F(real_timing, a_crash_in_a_later_call_is_a_fault) {
  auto found = compare(std::string(bench->bank().baseline()),
                       bench->artifact(product_source("if (++calls > 12) __builtin_trap();", "static int calls;")));
  ASSERT_TRUE(found.ok()) << found.failure().what;
  EXPECT_EQ(found->fault, OutcomeClass::CRASHED);
}

// Figures, not a test: --gtest_also_run_disabled_tests --gtest_filter=*measured*
TEST_F(real_timing, DISABLED_measured_identical_kernels_a_hundred_times) {
  auto same = bench->artifact(product_source());
  int claims = 0, undecided = 0;
  double seconds = 0, pairs = 0, widest = 1, microseconds = 0;
  constexpr int trials = 100;
  for (int trial = 0; trial < trials; ++trial) {
    auto start = std::chrono::steady_clock::now();
    auto found = compare(same, same, static_cast<uint64_t>(trial));
    ASSERT_TRUE(found.ok()) << found.failure().what;
    if (trial > 0) seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    auto view = found->compared.read();
    auto decision = view->getDecision();
    bool claim = decision == Decision::FASTER || decision == Decision::SLOWER;
    claims += claim;
    undecided += decision == Decision::UNDECIDED;
    pairs += view->getPairs();
    microseconds += view->getCandidateMicroseconds();
    widest = std::max({widest, view->getRatio(), 1 / view->getRatio()});
    if (claim || trial < 5) {
      std::printf("  %d: ratio %.4f [%.4f %.4f] pairs %u disturbed %u %s\n", trial, view->getRatio(), view->getLow(),
                  view->getHigh(), view->getPairs(), found->disturbed_pairs, found->note.c_str());
    }
  }
  std::printf("A/A: %d claims of %d, %d undecided, %.1f pairs, %.3f s a comparison, kernel %.0f us, farthest %.4f\n",
              claims, trials, undecided, pairs / trials, seconds / (trials - 1), microseconds / trials, widest);
}

}  // namespace
}  // namespace kope
