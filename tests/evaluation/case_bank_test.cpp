#include "actors/evaluation/case_bank.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/evaluation/small_tasks.hpp"

namespace kope {
namespace {

using namespace testing;

TEST(case_bank, resolves_sizes_extents_and_bytes) {
  fake_bench bench;
  auto c = bench.bank->case_named("secret");
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->sizes, (std::vector<int64_t>{19, 23, 17}));
  EXPECT_EQ(c->elements, (std::vector<uint64_t>{19 * 17, 17 * 23, 19 * 23}));
  EXPECT_EQ(c->layout.input_bytes, (std::vector<size_t>{19 * 17 * 4, 17 * 23 * 4}));
  EXPECT_EQ(c->layout.output_bytes, (std::vector<size_t>{19 * 23 * 4}));
  EXPECT_EQ(bench.bank->case_named("nothing").failure().code, errc::not_found);
}

TEST(case_bank, draws_shapes_from_the_ranges_and_the_same_one_for_the_same_draw) {
  fake_bench bench;
  std::set<std::vector<int64_t>> shapes;
  for (uint64_t draw = 0; draw < 50; ++draw) {
    auto c = bench.bank->drawn_case(draw);
    for (int64_t size : c.sizes) {
      EXPECT_GE(size, 1);
      EXPECT_LE(size, 40);
    }
    EXPECT_EQ(c.sizes, bench.bank->drawn_case(draw).sizes);
    shapes.insert(c.sizes);
  }
  EXPECT_GE(shapes.size(), 48u);
}

TEST(case_bank, another_seed_draws_another_shape) {
  fake_bench bench;
  case_bank other(matmul_task(), "oracle", "baseline", bench.with, 43, {});
  int same = 0;
  for (uint64_t draw = 0; draw < 20; ++draw) same += other.drawn_case(draw).sizes == bench.bank->drawn_case(draw).sizes;
  EXPECT_LE(same, 1);
}

TEST(case_bank, computes_a_set_once) {
  fake_bench bench;
  auto c = *bench.bank->case_named("square");
  auto first = bench.bank->expected(c, 9);
  auto calls = bench.with.of("oracle").calls;
  auto again = bench.bank->expected(c, 9);
  EXPECT_EQ(bench.with.of("oracle").calls, calls);
  EXPECT_EQ(*first, *again);
}

TEST(case_bank, sets_differ_from_each_other) {
  fake_bench bench;
  auto c = *bench.bank->case_named("square");
  EXPECT_NE((**bench.bank->expected(c, 1))[0].values, (**bench.bank->expected(c, 2))[0].values);
}

TEST(case_bank, prepares_a_pool_with_one_oracle_process) {
  fake_bench bench;
  auto c = *bench.bank->case_named("timed");
  auto sets = bench.bank->prepare_timed_pool(c, nullptr);
  ASSERT_TRUE(sets.ok());
  EXPECT_GE(*sets, 32u);
  EXPECT_EQ(bench.with.of("oracle").sessions, 1u);
  auto calls = bench.with.of("oracle").calls;
  for (uint64_t set = 0; set < *sets; ++set) ASSERT_TRUE(bench.bank->expected(c, set).ok());
  EXPECT_EQ(bench.with.of("oracle").calls, calls);
}

TEST(case_bank, a_reference_that_leaves_elements_unwritten_is_named) {
  fake_bench bench;
  bench.with.add("oracle", [](auto...) {});
  auto found = bench.bank->expected(*bench.bank->case_named("square"), 0);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.failure().what.find("left element 0 of output 0 unwritten"), std::string::npos);
}

TEST(case_bank, measures_the_baseline_once_a_case) {
  fake_bench bench;
  auto c = *bench.bank->case_named("timed");
  EXPECT_NEAR(*bench.bank->baseline_seconds(c), 1e-3, 1e-9);
  auto calls = bench.with.of("baseline").calls;
  EXPECT_NEAR(*bench.bank->baseline_seconds(c), 1e-3, 1e-9);
  EXPECT_EQ(bench.with.of("baseline").calls, calls);
}

}  // namespace
}  // namespace kope
