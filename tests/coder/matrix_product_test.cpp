#include <cmath>
#include <limits>

#include "tests/coder/compiled_points.hpp"

namespace kope::testing {
namespace {

using kernel_type = void (*)(const float*, const float*, float*, int64_t, int64_t, int64_t);

struct sizes {
  int64_t m, n, k;
};

// One element, primes, one long side each, more rows than a row block, more columns than a column block, more depth
// than any depth block, and tails of all of them.
const std::vector<sizes> shapes = {{1, 1, 1},     {2, 3, 5},     {7, 11, 13},    {64, 64, 64},  {67, 71, 73},
                                   {1, 256, 128}, {251, 1, 127}, {129, 65, 257}, {13, 17, 600}, {3, 2100, 5},
                                   {500, 9, 3},   {1, 1, 1031},  {31, 50, 512},  {250, 34, 129}};

void expect_right(kernel_type kernel, const sizes& s, const std::string& what) {
  const auto a = drawn_values(s.m * s.k, 1), b = drawn_values(s.k * s.n, 2);
  guarded_output c(s.m * s.n);
  kernel(a.data() + 1, b.data() + 1, c.data(), s.m, s.n, s.k);
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      double sum = 0, magnitude = 0;
      for (int64_t p = 0; p < s.k; ++p) {
        const double product = double{a[1 + i * s.k + p]} * b[1 + p * s.n + j];
        sum += product;
        magnitude += std::fabs(product);
      }
      // every order of f32 additions stays within k roundings of the magnitude
      const double allowed = (static_cast<double>(s.k) + 1) * 6e-8 * magnitude;
      ASSERT_LE(std::fabs(c.data()[i * s.n + j] - sum), allowed)
          << what << " m " << s.m << " n " << s.n << " k " << s.k << " at " << i << ", " << j;
    }
  ASSERT_TRUE(c.margins_are_untouched()) << what << " m " << s.m << " n " << s.n << " k " << s.k;
}

struct matrix_product_test : family_test {
  matrix_product_test() : family_test("matmul", matmul_task()) {}

  void expect_all_right(const parameter_space& space, const std::vector<point>& points) {
    expect_of_each<kernel_type>(space, points, [&](kernel_type kernel, const std::string& at) {
      for (const auto& s : shapes) {
        expect_right(kernel, s, at);
        if (HasFatalFailure()) return;
      }
    });
  }
};

TEST_F(matrix_product_test, starting_and_random_points_are_right_at_every_size) {
  auto space = under_test.space(*what.read(), *this_target().read());
  expect_all_right(space, some_points(space));
}

// The compiler splits vectors that this machine does not have, so the text is tested everywhere.
TEST_F(matrix_product_test, starting_points_of_wider_and_narrower_machines_are_right_too) {
  for (const char* isa : {"sse2", "avx2", "avx512f"}) {
    auto space = under_test.space(*what.read(), *target_with({isa}).read());
    expect_all_right(space, starting_points(*space.read()));
  }
}

TEST_F(matrix_product_test, points_of_an_avx512_machine_compile_for_it) {
  auto space = under_test.space(*what.read(), *target_with({"avx512f"}).read());
  auto points = some_points(space);
  points.resize(5);
  EXPECT_TRUE(compiled_points(sources_of(space, points), "skylake-avx512").compiled());
}

TEST_F(matrix_product_test, infinities_and_nans_stay_in_their_row_and_column) {
  auto space = under_test.space(*what.read(), *this_target().read());
  auto points = starting_points(*space.read());
  compiled_points built(sources_of(space, points), "native");
  ASSERT_TRUE(built.compiled());
  const sizes s{23, 37, 19};
  auto a = drawn_values(s.m * s.k, 3), b = drawn_values(s.k * s.n, 4);
  a[1 + 21 * s.k + 4] = std::numeric_limits<float>::infinity();
  b[1 + 5 * s.n + 36] = std::numeric_limits<float>::quiet_NaN();
  for (size_t at = 0; at < points.size(); ++at) {
    guarded_output c(s.m * s.n);
    built.kernel<kernel_type>(at)(a.data() + 1, b.data() + 1, c.data(), s.m, s.n, s.k);
    for (int64_t i = 0; i < s.m; ++i)
      for (int64_t j = 0; j < s.n; ++j) {
        const float value = c.data()[i * s.n + j];
        EXPECT_EQ(std::isnan(value), j == 36) << i << ", " << j;
        EXPECT_EQ(std::isinf(value), i == 21 && j != 36) << i << ", " << j;
      }
  }
}

TEST_F(matrix_product_test, vectors_and_register_blocks_fit_the_target) {
  for (auto [isa, widest, limit] : {std::tuple{"sse2", 4.0, 12.0}, {"avx2", 8.0, 12.0}, {"avx512f", 16.0, 28.0}}) {
    auto space = under_test.space(*what.read(), *target_with({isa}).read());
    auto view = space.read();
    auto widths = view->getRanges()[0].getValues();
    EXPECT_STREQ(view->getRanges()[0].getMeaning().cStr(), "vector_width");
    EXPECT_EQ(widths[widths.size() - 1], widest);
    ASSERT_EQ(view->getLimits().size(), 1u);
    EXPECT_EQ(view->getLimits()[0].getLimit(), limit);
    EXPECT_EQ(starting_points(*view).size(), view->getStartingPoints().size()) << "a starting point is not valid";
    EXPECT_GE(view->getStartingPoints().size(), 2u);
    EXPECT_LE(view->getStartingPoints().size(), 4u);
  }
}

TEST_F(matrix_product_test, a_task_with_another_prototype_is_refused_by_name) {
  auto space = under_test.space(*what.read(), *this_target().read());
  auto refused = generate(under_test, sum_task(), space, starting_points(*space.read()).front());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.failure().code, errc::invalid_input);
  EXPECT_NE(refused.failure().what.find("under_test"), std::string::npos);
}

}  // namespace
}  // namespace kope::testing
