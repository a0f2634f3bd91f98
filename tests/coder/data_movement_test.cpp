#include <array>

#include "tests/coder/compiled_points.hpp"

namespace kope::testing {
namespace {

using kernel_type = void (*)(const float*, float*, int64_t, int64_t, int64_t, int64_t, int64_t);

using lengths = std::array<int64_t, 4>;

// One element, sides below a block, blocks with and without rest, more than a tile, axes of length 1 at each place.
const std::vector<lengths> shapes = {{1, 1, 1, 1},   {1, 1, 2, 3},   {1, 1, 16, 16},  {1, 1, 67, 71},
                                     {1, 1, 3, 409}, {1, 1, 409, 5}, {1, 1, 128, 96}, {2, 3, 17, 19},
                                     {5, 1, 7, 33},  {4, 4, 4, 4},   {3, 20, 1, 18},  {1, 1, 1, 100},
                                     {2, 2, 2, 2},   {16, 1, 16, 1}, {7, 64, 1, 1},   {1, 1, 80, 144}};

/// y by the definition: the order-th permutation, by standard steps through all of them.
std::vector<float> moved(const float* x, const lengths& length, int64_t order) {
  std::array<size_t, 4> axis = {0, 1, 2, 3};
  for (int64_t i = 1; i < order; ++i) std::next_permutation(axis.begin(), axis.end());
  const lengths step = {length[1] * length[2] * length[3], length[2] * length[3], length[3], 1};
  std::vector<float> y;
  for (int64_t i = 0; i < length[axis[0]]; ++i)
    for (int64_t j = 0; j < length[axis[1]]; ++j)
      for (int64_t k = 0; k < length[axis[2]]; ++k)
        for (int64_t l = 0; l < length[axis[3]]; ++l)
          y.push_back(x[i * step[axis[0]] + j * step[axis[1]] + k * step[axis[2]] + l * step[axis[3]]]);
  return y;
}

struct data_movement_test : family_test {
  data_movement_test() : family_test("data_movement", transpose_task()) {}

  /// `off`: floats by which the output is off an alignment of 64 bytes.
  void expect_right(kernel_type kernel, const lengths& s, int64_t order, int64_t off, const std::string& at) {
    const auto elements = static_cast<size_t>(s[0] * s[1] * s[2] * s[3]);
    const auto x = drawn_values(elements, elements);
    std::vector<float> room(elements + 64, -7.5f);
    const auto aligned = (64 - reinterpret_cast<uintptr_t>(room.data()) % 64) / 4 + static_cast<size_t>(off);
    float* y = room.data() + aligned;
    kernel(x.data() + 1, y, s[0], s[1], s[2], s[3], order);
    const auto wanted = moved(x.data() + 1, s, order);
    for (size_t i = 0; i < elements; ++i)
      ASSERT_EQ(y[i], wanted[i]) << at << " " << s[0] << " x " << s[1] << " x " << s[2] << " x " << s[3] << " order "
                                 << order << " off " << off << " at " << i;
    for (size_t i = 0; i < room.size(); ++i)
      if (i < aligned || i >= aligned + elements) {
        ASSERT_EQ(room[i], -7.5f) << at << " order " << order << " writes outside at " << i;
      }
  }

  void expect_all_right(const parameter_space& space, const std::vector<point>& points) {
    expect_of_each<kernel_type>(space, points, [&](kernel_type kernel, const std::string& at) {
      for (const auto& s : shapes)
        for (int64_t order = 1; order <= 24; ++order)
          for (int64_t off : {0, 1}) {
            expect_right(kernel, s, order, off, at);
            if (HasFatalFailure()) return;
          }
    });
  }
};

TEST_F(data_movement_test, starting_and_random_points_are_right_in_every_order) {
  auto space = under_test.space(*what.read(), *this_target().read());
  expect_all_right(space, some_points(space));
}

// The compiler splits vectors that this machine does not have, so the text is tested everywhere.
TEST_F(data_movement_test, starting_points_of_wider_and_narrower_machines_are_right_too) {
  for (const char* isa : {"sse2", "avx2", "avx512f"}) {
    auto space = under_test.space(*what.read(), *target_with({isa}).read());
    expect_all_right(space, starting_points(*space.read()));
  }
}

TEST_F(data_movement_test, the_order_is_the_last_size_and_all_others_are_extents) {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  auto takes = [&](std::vector<const char*> sizes, std::vector<const char*> extents, const char* order) {
    return under_test
        .accepts(
            *make_task("data_movement", std::move(sizes), {{in, extents}, {out, extents}}, {{"order", order}}).read())
        .ok();
  };
  EXPECT_TRUE(takes({"a", "b", "o"}, {"a", "b"}, "o"));
  EXPECT_FALSE(takes({"a", "b", "o"}, {"a", "b"}, "a"));
  EXPECT_FALSE(takes({"a", "b", "o"}, {"a", "o"}, "o"));
  EXPECT_FALSE(takes({"a", "o"}, {"a"}, "o"));
}

}  // namespace
}  // namespace kope::testing
