#include <cmath>
#include <limits>

#include "tests/coder/compiled_points.hpp"

namespace kope::testing {
namespace {

using map_type = void (*)(const float*, float*, int64_t);
using broadcast_type = void (*)(const float*, const float*, float*, int64_t, int64_t, int64_t, int64_t);

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Any number of nines after the point would do; a value of f32 has seven.
bool near(double got, double wanted, double relative) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (std::isinf(wanted)) return got == wanted;
  return std::fabs(got - wanted) <= relative * std::fabs(wanted) + 1.5e-45;
}

// Kernels of the formula at all starting points and random ones, each given the values by way of a map.
struct elementwise_test : ::testing::Test {
  template <class Wanted>
  void expect_map(const char* formula, const std::vector<float>& x, Wanted wanted, double relative) {
    const auto& of = *find_family("elementwise");
    const auto what = map_task(formula);
    for (const char* isa : {"sse2", "avx2", "avx512f"}) {
      auto space = of.space(*what.read(), *target_with({isa}).read());
      auto points = starting_points(*space.read());
      std::vector<std::string> sources;
      for (const auto& at : points) {
        auto made = generate(of, what, space, at);
        ASSERT_TRUE(made) << made.failure().what;
        sources.push_back(made->source);
      }
      compiled_points built(sources, "native");
      ASSERT_TRUE(built.compiled());
      const auto n = static_cast<int64_t>(x.size());
      for (size_t at = 0; at < points.size(); ++at) {
        std::vector<float> y(x.size());
        built.kernel<map_type>(at)(x.data(), y.data(), n);
        for (size_t i = 0; i < x.size(); ++i)
          ASSERT_TRUE(near(y[i], wanted(x[i]), relative))
              << formula << " of " << x[i] << " is " << y[i] << ", not " << wanted(x[i]) << " with " << isa << " "
              << point_text(*space.read(), points[at]);
      }
    }
  }
};

/// Every exponent and sign with some fractions, and what stands beyond the numbers.
std::vector<float> all_sizes() {
  std::vector<float> x = {0.0f, -0.0f, infinity, -infinity, not_a_number, 1e-45f, -1e-45f, 3.4e38f, -3.4e38f};
  for (int exponent = -126; exponent < 127; ++exponent)
    for (float fraction : {1.0f, 1.2345f, 1.5f, 1.99999f})
      for (float sign : {1.0f, -1.0f}) x.push_back(sign * std::ldexp(fraction, exponent));
  return x;
}

std::vector<float> steps(float low, float high, int count) {
  std::vector<float> x;
  for (int i = 0; i <= count; ++i) x.push_back(low + (high - low) * static_cast<float>(i) / static_cast<float>(count));
  return x;
}

TEST_F(elementwise_test, exponentials_are_right_from_nothing_to_infinity) {
  auto exact = [](float x) { return static_cast<double>(static_cast<float>(std::exp(double{x}))); };
  expect_map("exp(tensor0)", all_sizes(), exact, 1.3e-7);
  expect_map("exp(tensor0)", steps(-87, 88.7f, 1 << 17), exact, 1.3e-7);
  // denormal: as exact as the last digit
  expect_map(
      "exp(tensor0) * 1e30 * 1e8", steps(-100, -87, 1 << 12), [](float x) { return std::exp(double{x}) * 1e38; }, 0.1);
}

TEST_F(elementwise_test, hyperbolic_tangents_are_right_everywhere) {
  auto exact = [](float x) { return std::tanh(double{x}); };
  expect_map("tanh(tensor0)", all_sizes(), exact, 4e-7);
  expect_map("tanh(tensor0)", steps(-10, 10, 1 << 17), exact, 4e-7);
}

TEST_F(elementwise_test, error_functions_are_right_everywhere) {
  auto exact = [](float x) { return std::erf(double{x}); };
  expect_map("erf(tensor0)", all_sizes(), exact, 4e-7);
  expect_map("erf(tensor0)", steps(-5, 5, 1 << 17), exact, 4e-7);
}

struct sizes {
  int64_t outer, m, n, k;
};

// One element; rows longer and shorter than a vector and than what joins them; each axis of length 1 and long, each of
// the inputs repeated within a row and along rows.
const std::vector<sizes> shapes = {{1, 1, 1, 1},    {1, 1, 1, 5003}, {1, 61, 1, 67},  {131, 29, 1, 1}, {1, 1009, 1, 1},
                                   {1, 1, 777, 1},  {1, 97, 83, 1},  {5, 211, 3, 3},  {499, 3, 2, 5},  {3, 7, 11, 13},
                                   {2, 5, 7, 80},   {1, 2, 1, 1003}, {4, 8, 8, 64},   {2, 3, 300, 1},  {2, 300, 3, 1},
                                   {1, 1, 40, 300}, {3, 2, 2, 16},   {1, 19, 1, 255}, {1, 7, 1, 256},  {2, 1300, 2, 1},
                                   {1, 1, 1, 2},    {1, 3, 1, 1},    {9, 1, 1, 31},   {6, 1, 5, 1}};

struct broadcasting_test : family_test {
  broadcasting_test() : family_test("elementwise", broadcasting_task()) {}

  void expect_all_right(const parameter_space& space, const std::vector<point>& points) {
    expect_of_each<broadcast_type>(space, points, [&](broadcast_type kernel, const std::string& at) {
      for (const auto& s : shapes) {
        const auto a = drawn_values(static_cast<size_t>(s.outer * s.m * s.k), 1);
        const auto b = drawn_values(static_cast<size_t>(s.outer * s.n * s.k), 2);
        guarded_output y(static_cast<size_t>(s.outer * s.m * s.n * s.k));
        kernel(a.data() + 1, b.data() + 1, y.data(), s.outer, s.m, s.n, s.k);
        const float* got = y.data();
        for (int64_t o = 0; o < s.outer; ++o)
          for (int64_t i = 0; i < s.m; ++i)
            for (int64_t j = 0; j < s.n; ++j)
              for (int64_t l = 0; l < s.k; ++l, ++got) {
                const float wanted = a[static_cast<size_t>(1 + (o * s.m + i) * s.k + l)] -
                                     2 * b[static_cast<size_t>(1 + (o * s.n + j) * s.k + l)];
                ASSERT_EQ(*got, wanted) << at << " outer " << s.outer << " m " << s.m << " n " << s.n << " k " << s.k
                                        << " at " << o << ", " << i << ", " << j << ", " << l;
              }
        ASSERT_TRUE(y.margins_are_untouched()) << at;
      }
    });
  }
};

TEST_F(broadcasting_test, starting_and_random_points_are_right_at_every_size) {
  auto space = under_test.space(*what.read(), *this_target().read());
  expect_all_right(space, some_points(space));
}

// The compiler splits vectors that this machine does not have, so the text is tested everywhere.
TEST_F(broadcasting_test, starting_points_of_wider_and_narrower_machines_are_right_too) {
  for (const char* isa : {"sse2", "avx2", "avx512f"}) {
    auto space = under_test.space(*what.read(), *target_with({isa}).read());
    expect_all_right(space, starting_points(*space.read()));
  }
}

TEST_F(broadcasting_test, a_task_says_its_formula_and_has_extents_that_fit) {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  auto refused = [&](std::vector<tensor_of> tensors, std::vector<std::pair<const char*, const char*>> attributes) {
    auto accepted = under_test.accepts(*make_task("elementwise", {"m", "n"}, std::move(tensors), attributes).read());
    return accepted ? std::string() : accepted.failure().what;
  };
  auto says = [](const std::string& text, const char* part) { return text.find(part) != text.npos; };
  const tensor_of x{in, {"m", "n"}}, y{out, {"m", "n"}};
  EXPECT_EQ(refused({x, y}, {{"formula", "tensor0"}}), "");
  EXPECT_TRUE(says(refused({x, y}, {}), "must have the attribute 'formula'"));
  EXPECT_TRUE(says(refused({x, y}, {{"formula", "tensor0 +"}}), "a value is missing"));
  EXPECT_TRUE(says(refused({{in, {"n", "m"}}, y}, {{"formula", "tensor0"}}), "in their order"));
  EXPECT_TRUE(says(refused({x, {out, {"m", "m"}}}, {{"formula", "tensor0"}}), "each once"));
  EXPECT_TRUE(says(refused({x, y, y}, {{"formula", "tensor0"}}), "one output"));
}

}  // namespace
}  // namespace kope::testing
