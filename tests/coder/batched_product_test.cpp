#include <cmath>

#include "tests/coder/compiled_points.hpp"

namespace kope::testing {
namespace {

using kernel_type = void (*)(const float*, const float*, float*, int64_t, int64_t, int64_t, int64_t);

struct sizes {
  int64_t batch, m, n, k;
};

// One element, primes, vectors, tails of every block, more depth and more columns than any block.
const std::vector<sizes> shapes = {{1, 1, 1, 1},    {5, 2, 3, 5},     {3, 7, 11, 13}, {4, 64, 64, 64},  {2, 67, 71, 73},
                                   {3, 1, 65, 33},  {3, 65, 1, 33},   {4, 33, 35, 1}, {2, 13, 17, 600}, {2, 3, 2100, 5},
                                   {2, 250, 34, 9}, {2, 128, 96, 64}, {7, 31, 37, 41}};

struct batched_product_test : family_test {
  batched_product_test() : family_test("batched_matmul", batched_matmul_task()) {}

  void expect_right(kernel_type kernel, const sizes& s, const std::string& at) {
    const auto a = drawn_values(static_cast<size_t>(s.batch * s.m * s.k), 1);
    const auto b = drawn_values(static_cast<size_t>(s.batch * s.k * s.n), 2);
    guarded_output c(static_cast<size_t>(s.batch * s.m * s.n));
    kernel(a.data() + 1, b.data() + 1, c.data(), s.batch, s.m, s.n, s.k);
    for (int64_t t = 0; t < s.batch; ++t)
      for (int64_t i = 0; i < s.m; ++i)
        for (int64_t j = 0; j < s.n; ++j) {
          double sum = 0, magnitude = 0;
          for (int64_t p = 0; p < s.k; ++p) {
            const double product = double{a[static_cast<size_t>(1 + (t * s.m + i) * s.k + p)]} *
                                   b[static_cast<size_t>(1 + (t * s.k + p) * s.n + j)];
            sum += product;
            magnitude += std::fabs(product);
          }
          // every order of f32 additions stays within k roundings of the magnitude
          ASSERT_LE(std::fabs(c.data()[(t * s.m + i) * s.n + j] - sum),
                    (static_cast<double>(s.k) + 1) * 6e-8 * magnitude)
              << at << " batch " << s.batch << " m " << s.m << " n " << s.n << " k " << s.k << " at " << t << ", " << i
              << ", " << j;
        }
    ASSERT_TRUE(c.margins_are_untouched()) << at << " m " << s.m << " n " << s.n << " k " << s.k;
  }

  void expect_all_right(const parameter_space& space, const std::vector<point>& points) {
    expect_of_each<kernel_type>(space, points, [&](kernel_type kernel, const std::string& at) {
      for (const auto& s : shapes) {
        expect_right(kernel, s, at);
        if (HasFatalFailure()) return;
      }
    });
  }
};

TEST_F(batched_product_test, starting_and_random_points_are_right_at_every_size) {
  auto space = under_test.space(*what.read(), *this_target().read());
  expect_all_right(space, some_points(space));
}

// The compiler splits vectors that this machine does not have, so the text is tested everywhere.
TEST_F(batched_product_test, starting_points_of_wider_and_narrower_machines_are_right_too) {
  for (const char* isa : {"sse2", "avx2", "avx512f"}) {
    auto space = under_test.space(*what.read(), *target_with({isa}).read());
    expect_all_right(space, starting_points(*space.read()));
  }
}

}  // namespace
}  // namespace kope::testing
