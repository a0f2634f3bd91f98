#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/coder/compiled_points.hpp"

namespace kope::testing {
namespace {

using kernel_type = void (*)(const float*, float*, int64_t, int64_t);

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

struct sizes {
  int64_t rows, n;
};

// One element, rows shorter than any vector, whole vectors with and without rest, more and fewer rows than are swept
// together, rows longer than the scratch of streaming stores.
const std::vector<sizes> shapes = {{1, 1},    {1000, 1},  {17, 3},    {9, 7},    {13, 8},    {6, 15},
                                   {7, 16},   {5, 17},    {1, 31},    {3, 33},   {11, 64},   {2, 127},
                                   {64, 128}, {21, 50},   {101, 257}, {4, 1000}, {10, 1024}, {3, 5003},
                                   {1, 4099}, {2, 16384}, {5, 20000}, {1, 70001}};

enum class values { plain, wide, huge, vanishing, ties, constant };

std::vector<float> drawn(values kind, int64_t elements, uint64_t seed) {
  auto x = drawn_values(elements, seed);
  for (auto& value : x) switch (kind) {
      case values::plain:
        break;
      case values::wide:  // exponentials from 1 to below the smallest number
        value *= 60;
        break;
      case values::huge:  // exp itself overflows, and so may a difference
        value *= 3e38f;
        break;
      case values::vanishing:  // exp itself is 0
        value = value * 100 - 1000;
        break;
      case values::ties:
        value = std::round(2 * value);
        break;
      case values::constant:
        value = 0.75f;
        break;
    }
  return x;
}

void expect_right(kernel_type kernel, const sizes& s, values kind, const std::string& what) {
  const auto x = drawn(kind, s.rows * s.n, static_cast<uint64_t>(s.rows + s.n));
  guarded_output y(s.rows * s.n);
  kernel(x.data() + 1, y.data(), s.rows, s.n);
  for (int64_t r = 0; r < s.rows; ++r) {
    const float* from = x.data() + 1 + r * s.n;
    const double largest = *std::max_element(from, from + s.n);
    double sum = 0;
    for (int64_t i = 0; i < s.n; ++i) sum += std::exp(from[i] - largest);
    for (int64_t i = 0; i < s.n; ++i) {
      const double difference = from[i] - largest, wanted = std::exp(difference) / sum;
      // exponential, factor and product; the rounding of the difference, which exp enlarges; the sum, whose
      // roundings lean to one side where values repeat. Denormal results are as exact as they can be.
      const double relative = 3e-7 + 6e-8 * std::fabs(difference) + 2e-7 * std::sqrt(static_cast<double>(s.n));
      ASSERT_LE(std::fabs(y.data()[r * s.n + i] - wanted), relative * wanted + 1.5e-45)
          << what << " values " << static_cast<int>(kind) << " rows " << s.rows << " n " << s.n << " at " << r << ", "
          << i << " of difference " << difference;
    }
  }
  ASSERT_TRUE(y.margins_are_untouched()) << what << " rows " << s.rows << " n " << s.n;
}

struct row_normalisation_test : family_test {
  row_normalisation_test() : family_test("row_normalisation", softmax_task()) {}

  void expect_all_right(const parameter_space& space, const std::vector<point>& points) {
    expect_of_each<kernel_type>(space, points, [&](kernel_type kernel, const std::string& at) {
      for (const auto& s : shapes)
        for (auto kind :
             {values::plain, values::wide, values::huge, values::vanishing, values::ties, values::constant}) {
          expect_right(kernel, s, kind, at);
          if (HasFatalFailure()) return;
        }
    });
  }

  /// Starting points, and one that streams: they differ in what they do at the ends of rows.
  std::vector<point> few_points(const parameter_space& space) {
    auto points = starting_points(*space.read());
    points.push_back(points.front());
    points.back().back() = 1;
    return points;
  }
};

TEST_F(row_normalisation_test, starting_and_random_points_are_right_at_every_size) {
  auto space = under_test.space(*what.read(), *this_target().read());
  expect_all_right(space, some_points(space));
}

// The compiler splits vectors that this machine does not have, so the text is tested everywhere.
TEST_F(row_normalisation_test, starting_points_of_wider_and_narrower_machines_are_right_too) {
  for (const char* isa : {"sse2", "avx2", "avx512f"}) {
    auto space = under_test.space(*what.read(), *target_with({isa}).read());
    expect_all_right(space, few_points(space));
  }
}

TEST_F(row_normalisation_test, points_of_an_avx512_machine_and_of_an_old_one_compile_for_it) {
  for (auto [isa, march] : {std::pair{"avx512f", "skylake-avx512"}, {"sse2", "x86-64"}}) {
    auto space = under_test.space(*what.read(), *target_with({isa}).read());
    EXPECT_TRUE(compiled_points(sources_of(space, few_points(space)), march).compiled()) << march;
  }
}

// One row from 0 down in small steps: every exponential that a quotient can show, and those that it cannot.
TEST_F(row_normalisation_test, exponentials_are_right_over_the_whole_range) {
  auto space = under_test.space(*what.read(), *this_target().read());
  auto points = few_points(space);
  compiled_points built(sources_of(space, points), "native");
  ASSERT_TRUE(built.compiled());
  const int64_t n = 1 << 17;
  std::vector<float> x(n), y(n);
  for (int64_t i = 0; i < n; ++i) x[i] = -static_cast<float>(i) / 1024;  // exact: to -128
  double sum = 0;
  for (float value : x) sum += std::exp(double{value});
  for (size_t at = 0; at < points.size(); ++at) {
    built.kernel<kernel_type>(at)(x.data(), y.data(), 1, n);
    // All elements share the sum's error and the polynomial's factor, so they are compared with the first.
    for (int64_t i = 0; i < n; ++i) {
      const double wanted = std::exp(double{x[i]}) * y[0];
      ASSERT_LE(std::fabs(y[i] - wanted), 3e-7 * wanted + 1.5e-45)
          << x[i] << " " << point_text(*space.read(), points[at]);
    }
    EXPECT_NEAR(y[0] * sum, 1, 1e-5);
    EXPECT_EQ(y[n - 1], 0.0f);
  }
}

TEST_F(row_normalisation_test, minus_infinity_gives_zero_and_other_special_values_a_row_of_nans) {
  auto space = under_test.space(*what.read(), *this_target().read());
  auto points = few_points(space);
  compiled_points built(sources_of(space, points), "native");
  ASSERT_TRUE(built.compiled());
  float odd_nan = not_a_number;  // a NaN whose low bits are in use
  uint32_t bits = 0x7fc12345;
  std::memcpy(&odd_nan, &bits, sizeof bits);
  enum : int64_t { minus, plus, nan, other_nan, only_minus, both, rows };
  for (int64_t n : {5, 40, 77})
    for (size_t at = 0; at < points.size(); ++at)
      for (int64_t place : {int64_t{0}, n / 2, n - 1}) {
        auto x = drawn_values(rows * n, 6);
        auto element = [&](int64_t row, int64_t i) -> float& { return x[1 + row * n + i]; };
        element(minus, place) = -infinity;
        element(plus, place) = infinity;
        element(nan, place) = not_a_number;
        element(other_nan, place) = odd_nan;
        for (int64_t i = 0; i < n; ++i) element(only_minus, i) = -infinity;
        element(both, place) = infinity;
        element(both, (place + 1) % n) = -infinity;
        guarded_output y(rows * n);
        built.kernel<kernel_type>(at)(x.data() + 1, y.data(), rows, n);
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t i = 0; i < n; ++i) {
            const float value = y.data()[r * n + i];
            const auto where = point_text(*space.read(), points[at]) + " n " + std::to_string(n) + " row " +
                               std::to_string(r) + " at " + std::to_string(i);
            ASSERT_EQ(std::isnan(value), r != minus) << where;
            if (r != minus) continue;
            ASSERT_EQ(value == 0, i == place) << where;
            ASSERT_TRUE(value >= 0 && value < 1) << where;
          }
      }
}

TEST_F(row_normalisation_test, the_space_fits_the_target) {
  for (auto [isa, widest, limit] : {std::tuple{"sse2", 4.0, 4.0}, {"avx2", 8.0, 4.0}, {"avx512f", 16.0, 8.0}}) {
    auto space = under_test.space(*what.read(), *target_with({isa}).read());
    auto view = space.read();
    auto widths = view->getRanges()[0].getValues();
    EXPECT_EQ(widths[widths.size() - 1], widest);
    ASSERT_EQ(view->getLimits().size(), 1u);
    EXPECT_EQ(view->getLimits()[0].getLimit(), limit);
    EXPECT_EQ(starting_points(*view).size(), view->getStartingPoints().size()) << "a starting point is not valid";
    EXPECT_GE(view->getStartingPoints().size(), 2u);
    EXPECT_LE(view->getStartingPoints().size(), 4u);
  }
}

TEST_F(row_normalisation_test, a_task_with_another_prototype_is_refused_by_name) {
  auto space = under_test.space(*what.read(), *this_target().read());
  auto refused = generate(under_test, matmul_task(), space, starting_points(*space.read()).front());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.failure().code, errc::invalid_input);
  EXPECT_NE(refused.failure().what.find("under_test"), std::string::npos);
}

}  // namespace
}  // namespace kope::testing
