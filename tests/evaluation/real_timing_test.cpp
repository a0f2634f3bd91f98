// Timing through the real compiler and runner.
#include <gtest/gtest.h>

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
  result<timing_result> compare(const std::string& older, const std::string& newer) {
    timing_options options;
    options.cpus = {0, 1};
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

}  // namespace
}  // namespace kope
