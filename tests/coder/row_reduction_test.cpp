#include <cmath>
#include <limits>

#include "tests/coder/compiled_points.hpp"

namespace kope::testing {
namespace {

using kernel_type = void (*)(const float*, float*, int64_t, int64_t, int64_t);

struct sizes {
  int64_t outer, n, inner;
};

// One element, axes of one, contiguous rows with and without tails, short and long strided rows, and strided rows that
// are folded into one with rest and without.
const std::vector<sizes> shapes = {{1, 1, 1},     {1, 9973, 1}, {31, 127, 1}, {4099, 3, 1},  {1, 70001, 1},
                                   {1000, 1, 3},  {12, 33, 20}, {1, 5000, 2}, {3, 700, 7},   {2, 9, 1500},
                                   {1, 40, 1025}, {5, 11, 64},  {1, 1, 5},    {2, 2049, 16}, {1, 1024, 1024}};

void expect_right(kernel_type kernel, const sizes& s, const std::string& what) {
  const auto x = drawn_values(s.outer * s.n * s.inner, 1);
  guarded_output y(s.outer * s.inner);
  kernel(x.data() + 1, y.data(), s.outer, s.n, s.inner);
  for (int64_t o = 0; o < s.outer; ++o)
    for (int64_t i = 0; i < s.inner; ++i) {
      double sum = 0, magnitude = 0;
      for (int64_t j = 0; j < s.n; ++j) {
        const double value = x[1 + (o * s.n + j) * s.inner + i];
        sum += value;
        magnitude += std::fabs(value);
      }
      // Loose by far for the long ones, yet the smallest of the drawn values is not lost in it.
      const double allowed = std::sqrt(static_cast<double>(s.n)) * 6e-8 * magnitude + 1e-12;
      ASSERT_LE(std::fabs(y.data()[o * s.inner + i] - sum), allowed)
          << what << " outer " << s.outer << " n " << s.n << " inner " << s.inner << " at " << o << ", " << i;
    }
  ASSERT_TRUE(y.margins_are_untouched()) << what << " outer " << s.outer << " n " << s.n << " inner " << s.inner;
}

struct row_reduction_test : family_test {
  row_reduction_test() : family_test("reduction", sum_task()) {}

  void expect_all_right(const parameter_space& space, const std::vector<point>& points) {
    expect_of_each<kernel_type>(space, points, [&](kernel_type kernel, const std::string& at) {
      for (const auto& s : shapes) {
        expect_right(kernel, s, at);
        if (HasFatalFailure()) return;
      }
    });
  }
};

TEST_F(row_reduction_test, starting_and_random_points_are_right_at_every_size) {
  auto space = under_test.space(*what.read(), *this_target().read());
  expect_all_right(space, some_points(space));
}

TEST_F(row_reduction_test, starting_points_of_wider_and_narrower_machines_are_right_too) {
  for (const char* isa : {"sse2", "avx2", "avx512f"}) {
    auto space = under_test.space(*what.read(), *target_with({isa}).read());
    expect_all_right(space, starting_points(*space.read()));
  }
}

// Values so small that f32 is exact in any order: one element too many or too few shows.
TEST_F(row_reduction_test, a_long_sum_of_whole_numbers_is_exact) {
  auto space = under_test.space(*what.read(), *this_target().read());
  auto points = some_points(space);
  compiled_points built(sources_of(space, points), "native");
  ASSERT_TRUE(built.compiled());
  const int64_t n = 1 << 20;
  random_source random(5);
  std::vector<float> x(n + 1);
  int64_t sum = 0;
  for (int64_t i = 1; i <= n; ++i) {
    const auto value = static_cast<int64_t>(random.below(7)) - 3;
    x[i] = static_cast<float>(value);
    sum += value;
  }
  for (size_t i = 0; i < points.size(); ++i) {
    float y = std::numeric_limits<float>::quiet_NaN();
    built.kernel<kernel_type>(i)(x.data() + 1, &y, 1, n, 1);
    EXPECT_EQ(y, static_cast<float>(sum)) << point_text(*space.read(), points[i]);
  }
}

TEST_F(row_reduction_test, a_nan_stays_in_its_column) {
  auto space = under_test.space(*what.read(), *this_target().read());
  auto points = starting_points(*space.read());
  compiled_points built(sources_of(space, points), "native");
  ASSERT_TRUE(built.compiled());
  auto x = drawn_values(4 * 50 * 20, 6);
  x[1 + (2 * 50 + 49) * 20 + 13] = std::numeric_limits<float>::quiet_NaN();
  for (size_t at = 0; at < points.size(); ++at) {
    guarded_output y(4 * 20);
    built.kernel<kernel_type>(at)(x.data() + 1, y.data(), 4, 50, 20);
    for (int i = 0; i < 4 * 20; ++i) EXPECT_EQ(std::isnan(y.data()[i]), i == 2 * 20 + 13) << i;
  }
}

}  // namespace
}  // namespace kope::testing
