#include "actors/evaluation/tolerance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "actors/evaluation/comparison.hpp"

namespace kope {
namespace {

float bf16(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, 4);
  bits &= 0xffff0000;
  std::memcpy(&value, &bits, 4);
  return value;
}
/// Ten bits of mantissa, rounded; the range of f16 does not matter here.
float f16(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, 4);
  bits = (bits + 0x1000) & 0xffffe000;
  std::memcpy(&value, &bits, 4);
  return value;
}

struct product {
  size_t rows, inner;
  std::vector<float> a, b;

  product(size_t r, size_t k, unsigned seed, float low) : rows(r), inner(k), a(r * k), b(k * r) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(low, 1);
    for (auto& v : a) v = uniform(random);
    for (auto& v : b) v = uniform(random);
  }
  template <class T, class Round>
  std::vector<T> times(Round round, size_t accumulators = 1) const {
    std::vector<T> c(rows * rows);
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < rows; ++j) {
        std::vector<T> sums(accumulators, 0);
        for (size_t p = 0; p < inner; ++p)
          sums[p % accumulators] += round(T(a[i * inner + p])) * round(T(b[p * rows + j]));
        T sum = 0;
        for (T one : sums) sum += one;
        c[i * rows + j] = sum;
      }
    return c;
  }
};

auto same = [](auto value) { return value; };

class products : public ::testing::TestWithParam<std::tuple<size_t, float>> {};

TEST_P(products, in_f32_pass_in_any_order_and_in_f16_or_bf16_fail) {
  auto [inner, low] = GetParam();
  tolerance_estimate estimate(wire::ElementType::F32, wire::ElementType::F32);
  for (unsigned seed : {1u, 2u}) {
    product one(24, inner, seed, low);
    auto baseline = one.times<float>(same);
    estimate.add_baseline(one.times<double>(same), std::as_bytes(std::span(baseline)));
  }
  product fresh(24, inner, 3, low);
  auto oracle = fresh.times<double>(same);
  auto allowed = estimate.of(oracle);
  expected_output expected{oracle, allowed.relative, allowed.absolute};
  auto judge = [&](const std::vector<float>& got) {
    return compare_output(std::as_bytes(std::span(got)), expected, make_poison(wire::ElementType::F32, 1));
  };
  for (size_t accumulators : {1, 4, 16}) {
    EXPECT_LT(judge(fresh.times<float>(same, accumulators)).worst, 0.5) << accumulators << " accumulators";
  }
  EXPECT_GT(judge(fresh.times<float>(f16)).worst, 2);
  EXPECT_GT(judge(fresh.times<float>(bf16)).worst, 10);
}

INSTANTIATE_TEST_SUITE_P(inner_sizes, products,
                         ::testing::Combine(::testing::Values(1, 2, 3, 16, 100, 512), ::testing::Values(-1.f, 0.f)));

TEST(tolerance, of_a_map_is_relative_so_that_tiny_elements_count) {
  std::vector<double> oracle;
  std::vector<float> baseline;
  for (int i = 0; i < 5000; ++i) {
    double value = std::pow(10.0, i % 12 - 6) * (1 + i * 1e-4);
    baseline.push_back(static_cast<float>(value));
    oracle.push_back(value);
  }
  tolerance_estimate estimate(wire::ElementType::F32, wire::ElementType::F32);
  estimate.add_baseline(oracle, std::as_bytes(std::span(baseline)));
  auto allowed = estimate.of(oracle);
  EXPECT_LT(allowed.absolute, 1e-30);
  EXPECT_LT(allowed.relative, 1e-5);
}

TEST(tolerance, follows_the_output_down_to_softmaxes_of_many_columns) {
  std::vector<double> oracle(100, 4e-6);
  std::vector<float> baseline(100, 4e-6f);
  tolerance_estimate estimate(wire::ElementType::F32, wire::ElementType::F32);
  estimate.add_baseline(oracle, std::as_bytes(std::span(baseline)));
  EXPECT_LT(estimate.of(oracle).absolute, 4e-10);
}

TEST(tolerance, sensitivity_allows_for_cancellation_that_the_baseline_escaped_by_luck) {
  std::vector<double> oracle{0.0}, moved{1e-5};
  std::vector<float> lucky{0.f};
  tolerance_estimate estimate(wire::ElementType::F32, wire::ElementType::F32);
  estimate.add_baseline(oracle, std::as_bytes(std::span(lucky)));
  EXPECT_LT(estimate.of(oracle).absolute, 1e-30);
  estimate.add_perturbed(oracle, moved);
  EXPECT_NEAR(estimate.of(oracle).absolute, 8e-5, 1e-6);
}

TEST(tolerance, of_integers_is_zero) {
  tolerance_estimate estimate(wire::ElementType::I32, wire::ElementType::F32);
  std::vector<double> oracle{1, 2};
  std::vector<int32_t> got{1, 2};
  estimate.add_baseline(oracle, std::as_bytes(std::span(got)));
  EXPECT_EQ(estimate.of(oracle).absolute, 0);
  EXPECT_EQ(estimate.of(oracle).relative, 0);
}

}  // namespace
}  // namespace kope
