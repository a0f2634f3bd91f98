#include "actors/evaluation/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace kope {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

expected_output wanted(std::vector<double> values, double relative = 1e-6, double absolute = 1e-6) {
  return {std::move(values), relative, absolute};
}
compared_output compare(const std::vector<float>& got, const expected_output& want) {
  return compare_output(std::as_bytes(std::span(got)), want, make_poison(wire::ElementType::F32, 99));
}

TEST(comparison, accepts_what_is_within_tolerance_and_says_how_near_it_came) {
  auto found = compare({1, 2, 3.000002f}, wanted({1, 2, 3}));
  EXPECT_FALSE(found.first_bad);
  EXPECT_NEAR(found.worst, 0.5, 0.1);
}

TEST(comparison, names_the_first_wrong_element) {
  std::vector<float> got(5000, 1);
  got[4097] = 1.1f;
  got[4999] = 5;
  auto found = compare(got, wanted(std::vector<double>(5000, 1)));
  EXPECT_EQ(found.first_bad, 4097u);
  EXPECT_EQ(found.reason, "element 4097 is 1.10000002, right is 1");
}

TEST(comparison, wants_nan_where_the_oracle_has_nan_and_nowhere_else) {
  EXPECT_FALSE(compare({nan, 1}, wanted({nan, 1})).first_bad);
  EXPECT_EQ(compare({0, 1}, wanted({nan, 1})).first_bad, 0u);
  EXPECT_EQ(compare({1, nan}, wanted({1, 1})).first_bad, 1u);
}

TEST(comparison, wants_infinities_of_the_same_sign) {
  EXPECT_FALSE(compare({inf, -inf}, wanted({inf, -inf})).first_bad);
  EXPECT_EQ(compare({inf, inf}, wanted({inf, -inf})).first_bad, 1u);
  EXPECT_EQ(compare({1, inf}, wanted({1, 1})).first_bad, 1u);
  EXPECT_EQ(compare({3e38f}, wanted({inf})).first_bad, 0u);
}

TEST(comparison, overflow_of_the_outputs_type_is_infinity) {
  EXPECT_FALSE(compare({inf}, wanted({1e39})).first_bad);
  EXPECT_TRUE(compare({-inf}, wanted({1e39})).first_bad);
}

TEST(comparison, finds_poison_wherever_it_was_left) {
  auto with = make_poison(wire::ElementType::F32, 12345);
  for (size_t left : {0, 1, 1023, 1024, 2999}) {
    std::vector<float> got(3000);
    write_poison(std::as_writable_bytes(std::span(got)), with);
    for (size_t i = 0; i < got.size(); ++i)
      if (i != left) got[i] = 1;
    auto bytes = std::as_bytes(std::span(got));
    EXPECT_EQ(find_poison(bytes, with), left);
    auto found = compare_output(bytes, wanted(std::vector<double>(3000, 1)), with);
    EXPECT_EQ(found.first_bad, left);
    EXPECT_NE(found.reason.find("was not written"), std::string::npos);
    EXPECT_EQ(compare_sample(bytes, wanted(std::vector<double>(3000, 1)), with, 16, 1).first_bad, left);
  }
}

TEST(comparison, poison_is_not_taken_for_a_wanted_nan) {
  auto with = make_poison(wire::ElementType::F32, 12345);
  std::vector<float> got(3);
  write_poison(std::as_writable_bytes(std::span(got)), with);
  auto found = compare_output(std::as_bytes(std::span(got)), wanted({nan, nan, nan}), with);
  EXPECT_EQ(found.first_bad, 0u);
}

TEST(comparison, poison_differs_from_batch_to_batch_and_is_never_a_quiet_nan) {
  auto a = make_poison(wire::ElementType::F32, 1), b = make_poison(wire::ElementType::F32, 2);
  EXPECT_NE(a.word, b.word);
  for (uint64_t random : {0ull, 1ull, ~0ull}) {
    EXPECT_EQ(make_poison(wire::ElementType::F32, random).word & 0x400000, 0u);
    EXPECT_EQ(make_poison(wire::ElementType::F64, random).word & 0x8000000000000, 0u);
  }
}

TEST(comparison, zeros_are_wrong_even_when_the_tolerance_would_let_them_pass) {
  std::vector<double> tiny(64, 4e-6);
  auto found = compare(std::vector<float>(64, 0), wanted(tiny, 0, 1e-2));
  EXPECT_EQ(found.reason, "every element is zero");
  EXPECT_FALSE(compare(std::vector<float>(64, 0), wanted(std::vector<double>(64, 0), 0, 1e-2)).first_bad);
  EXPECT_FALSE(compare({0}, wanted({4e-6}, 0, 1e-2)).first_bad) << "a single sum may vanish by right";
}

TEST(comparison, integers_have_to_be_equal) {
  std::vector<int32_t> got(2000);
  std::iota(got.begin(), got.end(), -1000);
  std::vector<double> want(got.begin(), got.end());
  auto with = make_poison(wire::ElementType::I32, 5);
  EXPECT_FALSE(compare_output(std::as_bytes(std::span(got)), wanted(want, 0, 0), with).first_bad);
  got[1500] += 1;
  EXPECT_EQ(compare_output(std::as_bytes(std::span(got)), wanted(want, 0, 0), with).first_bad, 1500u);
}

TEST(comparison, an_integer_output_may_hold_the_poisons_number_by_right) {
  auto with = make_poison(wire::ElementType::I32, 5);
  std::vector<int32_t> got(1000, 5);
  std::vector<double> want(1000, 5);
  EXPECT_FALSE(compare_output(std::as_bytes(std::span(got)), wanted(want), with).first_bad);
  EXPECT_FALSE(compare_sample(std::as_bytes(std::span(got)), wanted(want), with, 10, 3).first_bad);
}

TEST(comparison, samples_find_a_wrong_tenth_of_the_elements) {
  std::vector<float> got(100'000, 1);
  for (size_t i = 0; i < got.size(); i += 10) got[i] = 2;
  auto found = compare_sample(std::as_bytes(std::span(got)), wanted(std::vector<double>(got.size(), 1)),
                              make_poison(wire::ElementType::F32, 1), 256, 77);
  EXPECT_TRUE(found.first_bad);  // missed with 0.9^256, and the seed is fixed
}

}  // namespace
}  // namespace kope
