#include <gtest/gtest.h>

#include <set>

#include "actors/planner/parameter_neighbourhood.hpp"

namespace kope {
namespace {

// rows 1 2 4 and lanes 4 8 in order, at most 16 together; kind 0 5 9 without an order.
parameter_space example(double limit = 16) {
  return parameter_space::build([&](wire::ParameterSpace::Builder to) {
    auto ranges = to.initRanges(3);
    auto set = [&](unsigned place, const char* meaning, std::vector<double> values, bool ordered) {
      ranges[place].setMeaning(meaning);
      ranges[place].setOrdered(ordered);
      ranges[place].setClass(place == 2 ? wire::ParameterClass::ALGORITHMIC : wire::ParameterClass::MACHINE_BOUND);
      auto list = ranges[place].initValues(values.size());
      for (unsigned i = 0; i < values.size(); ++i) list.set(i, values[i]);
    };
    set(0, "rows", {1, 2, 4}, true);
    set(1, "lanes", {4, 8}, true);
    set(2, "kind", {0, 5, 9}, false);
    auto product = to.initLimits(1)[0];
    product.setLimit(limit);
    auto meanings = product.initMeanings(2);
    meanings.set(0, "rows");
    meanings.set(1, "lanes");
  });
}

parcel<wire::Point> parameters(std::vector<std::pair<const char*, double>> values) {
  return parcel<wire::Point>::build([&](wire::Point::Builder to) {
    auto list = to.initParameters(values.size());
    for (unsigned i = 0; i < values.size(); ++i) {
      list[i].setMeaning(values[i].first);
      list[i].setValue(values[i].second);
    }
  });
}

TEST(neighbourhood, a_point_is_valid_when_its_values_are_of_the_ranges_and_its_product_is_within_the_limit) {
  auto space = example();
  EXPECT_TRUE(is_valid(*space.read(), {2, 8, 5}));
  EXPECT_TRUE(is_valid(*space.read(), {4, 4, 0}));
  EXPECT_FALSE(is_valid(*space.read(), {4, 8, 0})) << "32 is more than 16";
  EXPECT_FALSE(is_valid(*space.read(), {3, 4, 0}));
  EXPECT_FALSE(is_valid(*space.read(), {1, 4}));
  EXPECT_FALSE(is_valid(*space.read(), {1, 4, 0, 0}));
}

TEST(neighbourhood, a_limit_on_a_parameter_that_does_not_exist_makes_nothing_valid) {
  auto broken = parameter_space::changed(
      *example().read(), [](wire::ParameterSpace::Builder to) { to.getLimits()[0].getMeanings().set(0, "columns"); });
  EXPECT_FALSE(is_valid(*broken.read(), {1, 4, 0}));
}

TEST(neighbourhood, neighbours_are_one_step_in_an_ordered_range_and_any_other_value_in_an_unordered_one) {
  auto space = example();
  const std::vector<point> around = {{1, 4, 5}, {4, 4, 5}, {2, 8, 5}, {2, 4, 0}, {2, 4, 9}};
  EXPECT_EQ(neighbours(*space.read(), {2, 4, 5}), around);
}

TEST(neighbourhood, neighbours_beyond_a_limit_are_left_out) {
  auto space = example();
  const std::vector<point> around = {{1, 8, 0}, {2, 4, 0}, {2, 8, 5}, {2, 8, 9}};
  EXPECT_EQ(neighbours(*space.read(), {2, 8, 0}), around);
}

TEST(neighbourhood, a_point_of_another_space_has_no_neighbours) {
  auto space = example();
  EXPECT_TRUE(neighbours(*space.read(), {1, 4}).empty());
}

TEST(neighbourhood, parameters_become_a_point_whatever_their_order_and_back) {
  auto space = example();
  auto found = point_of(*space.read(), parameters({{"kind", 9}, {"rows", 2}, {"lanes", 8}}).read()->getParameters());
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (point{2, 8, 9}));

  auto written = parcel<wire::Point>::build(
      [&](wire::Point::Builder to) { write_parameters(*space.read(), *found, to.initParameters(3)); });
  EXPECT_EQ(point_of(*space.read(), written.read()->getParameters()), found);
  EXPECT_STREQ(written.read()->getParameters()[2].getMeaning().cStr(), "kind");
  EXPECT_EQ(written.read()->getParameters()[2].getClass(), wire::ParameterClass::ALGORITHMIC);
  EXPECT_EQ(written.read()->getParameters()[0].getClass(), wire::ParameterClass::MACHINE_BOUND);
}

TEST(neighbourhood, parameters_that_are_missing_unknown_doubled_or_outside_are_no_point) {
  auto space = example();
  auto refused = [&](std::vector<std::pair<const char*, double>> values) {
    return !point_of(*space.read(), parameters(std::move(values)).read()->getParameters());
  };
  EXPECT_TRUE(refused({{"rows", 2}, {"lanes", 8}}));
  EXPECT_TRUE(refused({{"rows", 2}, {"lanes", 8}, {"colour", 0}}));
  EXPECT_TRUE(refused({{"rows", 2}, {"rows", 2}, {"kind", 0}}));
  EXPECT_TRUE(refused({{"rows", 2}, {"lanes", 8}, {"kind", 1}}));
  EXPECT_TRUE(refused({{"rows", 4}, {"lanes", 8}, {"kind", 0}}));
}

TEST(neighbourhood, random_points_are_valid_reach_all_of_the_space_and_repeat_with_their_seed) {
  auto space = example();
  random_source random(11), again(11);
  std::set<point> seen;
  for (int i = 0; i < 500; ++i) {
    auto drawn = random_point(*space.read(), random);
    ASSERT_TRUE(drawn);
    EXPECT_TRUE(is_valid(*space.read(), *drawn));
    EXPECT_EQ(random_point(*space.read(), again), drawn);
    seen.insert(*drawn);
  }
  EXPECT_EQ(seen.size(), 15u) << "18 grid points, of which 3 are beyond the limit";
}

TEST(neighbourhood, a_space_without_a_valid_point_gives_no_random_one) {
  random_source random(1);
  EXPECT_FALSE(random_point(*example(1).read(), random));
}

TEST(neighbourhood, hashes_tell_points_apart_and_agree_on_equal_ones) {
  auto space = example();
  std::set<uint64_t> hashes;
  for (double rows : {1, 2, 4})
    for (double lanes : {4, 8})
      for (double kind : {0, 5, 9}) hashes.insert(point_hash({rows, lanes, kind}));
  EXPECT_EQ(hashes.size(), 18u);
  EXPECT_EQ(point_hash({1, 0.0}), point_hash({1, -0.0}));
  EXPECT_NE(point_hash({1, 2}), point_hash({2, 1}));
}

TEST(neighbourhood, the_text_of_a_point_names_every_value) {
  EXPECT_EQ(point_text(*example().read(), {2, 8, 5}), "rows=2 lanes=8 kind=5");
}

TEST(neighbourhood, only_valid_starting_points_are_given) {
  auto space = parameter_space::changed(*example().read(), [](wire::ParameterSpace::Builder to) {
    auto points = to.initStartingPoints(2);
    write_parameters(to.asReader(), {4, 8, 0}, points[0].initParameters(3));
    write_parameters(to.asReader(), {4, 4, 9}, points[1].initParameters(3));
  });
  EXPECT_EQ(starting_points(*space.read()), (std::vector<point>{{4, 4, 9}}));
}

TEST(neighbourhood, the_grid_counts_invalid_points_too_and_saturates) {
  EXPECT_EQ(grid_size(*example().read()), 18u);
  auto huge = parameter_space::build([](wire::ParameterSpace::Builder to) {
    auto ranges = to.initRanges(40);
    for (auto range : ranges) {
      auto values = range.initValues(10);
      for (unsigned i = 0; i < 10; ++i) values.set(i, i);
    }
  });
  EXPECT_EQ(grid_size(*huge.read()), ~uint64_t{0});
}

}  // namespace
}  // namespace kope
