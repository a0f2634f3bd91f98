#include "actors/evaluation/input_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <vector>

namespace kope {
namespace {

template <class T>
std::vector<T> filled(wire::ElementType type, const fill_spec& spec, size_t n, uint64_t key = 7) {
  std::vector<T> values(n);
  fill_values(std::as_writable_bytes(std::span(values)), type, spec, key);
  return values;
}
std::vector<float> floats(const fill_spec& spec, size_t n, uint64_t key = 7) {
  return filled<float>(wire::ElementType::F32, spec, n, key);
}

uint64_t digest(const std::vector<float>& values) {
  uint64_t all = 0;
  for (float value : values) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, 4);
    all = mix(all, bits);
  }
  return all;
}

// Expected outputs, recorded landscapes and verdicts rest on these values: another number here is another task check.
TEST(input_values, are_the_same_on_every_machine) {
  EXPECT_EQ(digest(floats({wire::FillKind::UNIFORM, -1, 1}, 1000)), 18369430454524737290u);
  EXPECT_EQ(digest(floats({wire::FillKind::LOG_UNIFORM, 1e-3, 1e3}, 1000)), 12261188708237903998u);
  EXPECT_EQ(digest(floats({wire::FillKind::CANCELLING, -1, 1}, 1001)), 10911370111845460637u);
  EXPECT_EQ(digest(floats({wire::FillKind::RAMP, -1, 1}, 1000)), 16055359520406777883u);
  EXPECT_EQ(digest(floats({wire::FillKind::INTEGERS, -9, 9}, 1000)), 814442509687950906u);
}

TEST(input_values, uniform_fills_its_range_and_stays_below_its_end) {
  auto values = floats({wire::FillKind::UNIFORM, -1, 1}, 100'000);
  double sum = 0, squares = 0;
  for (float v : values) {
    ASSERT_GE(v, -1);
    ASSERT_LT(v, 1);
    sum += v;
    squares += v * v;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.01);
  EXPECT_NEAR(squares / 1e5, 1.0 / 3, 0.01);
}

TEST(input_values, log_uniform_has_as_many_small_magnitudes_as_large_ones) {
  auto values = floats({wire::FillKind::LOG_UNIFORM, 1e-3, 1e3}, 100'000);
  int small = 0, negative = 0;
  for (float v : values) {
    ASSERT_GE(std::fabs(v), 0.999e-3);
    ASSERT_LE(std::fabs(v), 1.001e3);
    small += std::fabs(v) < 1;
    negative += v < 0;
  }
  EXPECT_NEAR(small, 50'000, 1'000);
  EXPECT_NEAR(negative, 50'000, 1'000);
}

TEST(input_values, cancelling_values_vanish_in_sum_exactly) {
  auto values = floats({wire::FillKind::CANCELLING, -1, 1}, 1001);
  for (size_t i = 0; i < 500; ++i) ASSERT_EQ(values[i], -values[500 + i]);
  EXPECT_EQ(values[1000], 0);
}

TEST(input_values, integers_take_every_value_of_their_range) {
  std::set<float> seen;
  for (float v : floats({wire::FillKind::INTEGERS, -2, 3}, 1000)) seen.insert(v);
  EXPECT_EQ(seen, (std::set<float>{-2, -1, 0, 1, 2, 3}));
  std::set<int32_t> whole;
  for (int32_t v : filled<int32_t>(wire::ElementType::I32, {wire::FillKind::UNIFORM, -2, 3}, 1000)) whole.insert(v);
  EXPECT_EQ(whole, (std::set<int32_t>{-2, -1, 0, 1, 2}));
}

TEST(input_values, special_has_each_odd_value_about_once_in_64_times_5) {
  int infinite = 0, nan = 0, negative_zero = 0, denormal = 0;
  for (float v : floats({wire::FillKind::SPECIAL, -1, 1}, 64'000)) {
    infinite += std::isinf(v);
    nan += std::isnan(v);
    negative_zero += v == 0 && std::signbit(v);
    denormal += std::fpclassify(v) == FP_SUBNORMAL;
  }
  EXPECT_NEAR(infinite, 400, 100);
  EXPECT_NEAR(nan, 200, 70);
  EXPECT_NEAR(negative_zero, 200, 70);
  EXPECT_NEAR(denormal, 200, 70);
}

TEST(input_values, move_to_their_neighbours_and_no_further) {
  auto before = floats({wire::FillKind::SPECIAL, -1, 1}, 5000);
  auto after = before;
  move_to_neighbours(std::as_writable_bytes(std::span(after)), wire::ElementType::F32, 3);
  int up = 0, down = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (std::isnan(before[i])) continue;
    bool stays = before[i] == 0 || std::isinf(before[i]) || std::fpclassify(before[i]) == FP_SUBNORMAL;
    ASSERT_EQ(after[i] == before[i], stays) << before[i];
    if (stays) continue;
    ASSERT_EQ(std::nextafter(before[i], after[i]), after[i]);
    (after[i] > before[i] ? up : down) += 1;
  }
  EXPECT_NEAR(up, down, 400);
}

TEST(input_values, another_key_gives_other_values) {
  auto a = floats({wire::FillKind::UNIFORM, 0, 1}, 1000, mix(1, 2)),
       b = floats({wire::FillKind::UNIFORM, 0, 1}, 1000, mix(2, 1));
  int same = 0;
  for (size_t i = 0; i < a.size(); ++i) same += a[i] == b[i];
  EXPECT_LT(same, 3);
}

}  // namespace
}  // namespace kope
