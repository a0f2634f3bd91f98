#include <cmath>
#include <limits>

#include "tests/coder/compiled_points.hpp"

namespace kope::testing {
namespace {

using kernel_type = void (*)(const float*, const float*, const float*, float*, int64_t, int64_t);

struct sizes {
  int64_t rows, n;
};

// One element, rows shorter than any vector, whole vectors with and without rest, more and fewer rows than are swept
// together.
const std::vector<sizes> shapes = {{1, 1},     {1000, 1}, {17, 3},    {9, 7},    {13, 8},   {6, 15},   {7, 16},
                                   {5, 17},    {1, 31},   {3, 33},    {11, 64},  {2, 127},  {64, 128}, {21, 50},
                                   {101, 257}, {4, 1000}, {10, 1024}, {3, 5003}, {1, 20011}};

enum class values { plain, far, huge, tiny, constant };

std::vector<float> drawn(values kind, int64_t elements, uint64_t seed) {
  auto x = drawn_values(static_cast<size_t>(elements), seed);
  for (auto& value : x) switch (kind) {
      case values::plain:
        break;
      case values::far:  // a mean that is much larger than what is around it
        value = value + 100;
        break;
      case values::huge:
        value *= 1e15f;
        break;
      case values::tiny:  // variances below epsilon
        value *= 1e-4f;
        break;
      case values::constant:
        value = 0.75f;
        break;
    }
  return x;
}

struct layer_normalisation_test : family_test {
  layer_normalisation_test() : family_test("layer_normalisation", layer_norm_task()) {}

  void expect_right(kernel_type kernel, const sizes& s, values kind, const std::string& at) {
    const auto x = drawn(kind, s.rows * s.n, static_cast<uint64_t>(s.rows + s.n));
    const auto weight = drawn_values(static_cast<size_t>(s.n), 5), bias = drawn_values(static_cast<size_t>(s.n), 6);
    guarded_output y(static_cast<size_t>(s.rows * s.n));
    kernel(x.data() + 1, weight.data() + 1, bias.data() + 1, y.data(), s.rows, s.n);
    for (int64_t r = 0; r < s.rows; ++r) {
      const float* from = x.data() + 1 + r * s.n;
      double sum = 0, squares = 0, largest = 0;
      for (int64_t i = 0; i < s.n; ++i) sum += from[i];
      const double mean = sum / static_cast<double>(s.n);
      for (int64_t i = 0; i < s.n; ++i) {
        squares += (from[i] - mean) * (from[i] - mean);
        largest = std::fmax(largest, std::fabs(from[i]));
      }
      const double deviation = std::sqrt(squares / static_cast<double>(s.n) + double{1e-5f});
      // roundings of the mean, in units of the deviation, and a few of the result
      const double shift = 4e-7 * (1 + std::sqrt(static_cast<double>(s.n)) / 8) * largest / deviation;
      for (int64_t i = 0; i < s.n; ++i) {
        const double w = weight[static_cast<size_t>(1 + i)], b = bias[static_cast<size_t>(1 + i)];
        const double normal = (from[i] - mean) / deviation, wanted = normal * w + b;
        ASSERT_LE(std::fabs(y.data()[r * s.n + i] - wanted),
                  shift * (1 + std::fabs(normal)) + 1e-6 * std::fabs(normal) + 1e-6)
            << at << " values " << static_cast<int>(kind) << " rows " << s.rows << " n " << s.n << " at " << r << ", "
            << i;
      }
    }
    ASSERT_TRUE(y.margins_are_untouched()) << at << " rows " << s.rows << " n " << s.n;
  }

  void expect_all_right(const parameter_space& space, const std::vector<point>& points) {
    expect_of_each<kernel_type>(space, points, [&](kernel_type kernel, const std::string& at) {
      for (const auto& s : shapes)
        for (auto kind : {values::plain, values::far, values::huge, values::tiny, values::constant}) {
          expect_right(kernel, s, kind, at);
          if (HasFatalFailure()) return;
        }
    });
  }
};

TEST_F(layer_normalisation_test, starting_and_random_points_are_right_at_every_size) {
  auto space = under_test.space(*what.read(), *this_target().read());
  expect_all_right(space, some_points(space));
}

// The compiler splits vectors that this machine does not have, so the text is tested everywhere.
TEST_F(layer_normalisation_test, starting_points_of_wider_and_narrower_machines_are_right_too) {
  for (const char* isa : {"sse2", "avx2", "avx512f"}) {
    auto space = under_test.space(*what.read(), *target_with({isa}).read());
    expect_all_right(space, starting_points(*space.read()));
  }
}

TEST_F(layer_normalisation_test, a_row_with_a_special_value_is_nan_and_its_neighbours_are_not) {
  auto space = under_test.space(*what.read(), *this_target().read());
  auto points = starting_points(*space.read());
  compiled_points built(sources_of(space, points), "native");
  ASSERT_TRUE(built.compiled());
  for (int64_t n : {5, 40, 77})
    for (size_t at = 0; at < points.size(); ++at)
      for (float special : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()})
        for (int64_t place : {int64_t{0}, n / 2, n - 1}) {
          const int64_t rows = 9, spoilt = 4;
          auto x = drawn_values(static_cast<size_t>(rows * n), 6);
          const auto weight = drawn_values(static_cast<size_t>(n), 7), bias = drawn_values(static_cast<size_t>(n), 8);
          x[static_cast<size_t>(1 + spoilt * n + place)] = special;
          guarded_output y(static_cast<size_t>(rows * n));
          built.kernel<kernel_type>(at)(x.data() + 1, weight.data() + 1, bias.data() + 1, y.data(), rows, n);
          for (int64_t i = 0; i < rows * n; ++i)
            ASSERT_EQ(std::isnan(y.data()[i]), i / n == spoilt)
                << point_text(*space.read(), points[at]) << " n " << n << " at " << i / n << ", " << i % n;
        }
}

TEST_F(layer_normalisation_test, epsilon_is_a_number_above_zero_and_stands_in_the_text) {
  auto with_epsilon = [&](const char* epsilon) {
    return task::changed(*what.read(), [&](wire::Task::Builder to) {
      auto attribute = to.initAttributes(1)[0];
      attribute.setName("epsilon");
      attribute.setValue(epsilon);
    });
  };
  for (const char* wrong : {"", "0", "-1e-5", "x", "1e-5; x", "nan", "1e99"}) {
    auto accepted = under_test.accepts(*with_epsilon(wrong).read());
    ASSERT_FALSE(accepted) << wrong;
    EXPECT_NE(accepted.failure().what.find("'epsilon'"), std::string::npos);
  }
  auto space = under_test.space(*what.read(), *this_target().read());
  auto made = generate(under_test, with_epsilon("0.25"), space, starting_points(*space.read()).front());
  ASSERT_TRUE(made);
  EXPECT_NE(made->source.find("2.500000000e-01f"), std::string::npos);
}

}  // namespace
}  // namespace kope::testing
