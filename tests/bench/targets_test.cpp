#include "bench/targets.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "bench/text_table.hpp"

namespace kope::bench {
namespace {

TEST(targets, are_met_at_the_bound_itself) {
  EXPECT_TRUE((target{.wanted = 100, .measured = 100}.met()));
  EXPECT_FALSE((target{.wanted = 100, .measured = 99.9}.met()));
  EXPECT_TRUE((target{.at_least = false, .wanted = 3, .measured = 3}.met()));
  EXPECT_FALSE((target{.at_least = false, .wanted = 3, .measured = 4}.met()));
}

TEST(targets, that_were_not_measured_are_missed_whichever_way_they_point) {
  EXPECT_FALSE((target{.wanted = 0}.met()));
  EXPECT_FALSE((target{.at_least = false, .wanted = 1e9}.met()));
}

TEST(targets, are_not_met_by_what_is_no_number) {
  double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE((target{.wanted = 1, .measured = none}.met()));
  EXPECT_FALSE((target{.at_least = false, .wanted = 1, .measured = none}.met()));
}

TEST(targets, are_all_met_only_when_each_is) {
  target met{.wanted = 1, .measured = 2}, missed{.wanted = 3, .measured = 2};
  EXPECT_TRUE(all_met({met, met}));
  EXPECT_FALSE(all_met({met, missed}));
}

TEST(targets, say_in_json_what_was_wanted_and_null_for_what_was_not_measured) {
  auto rows = targets_json({{.name = "speed", .wanted = 4, .unit = "x"}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["wanted"], 4);
  EXPECT_TRUE(rows[0]["measured"].is_null());
  EXPECT_EQ(rows[0]["met"], false);
}

TEST(text_table, is_as_wide_as_its_widest_cells_and_leaves_no_space_at_the_end) {
  text_table table({"name", "value", "note"});
  table.add({"a", "1", ""});
  table.add({"longer", "12345678", "why"});
  EXPECT_EQ(table.text(),
            "name       value  note\n"
            "a              1\n"
            "longer  12345678  why\n");
}

TEST(text_table, refuses_a_row_of_another_width) {
  text_table table({"name", "value"});
  EXPECT_THROW(table.add({"a"}), std::logic_error);
}

TEST(short_number, keeps_three_digits_or_so) {
  EXPECT_EQ(short_number(0.01234), "0.0123");
  EXPECT_EQ(short_number(0.9), "0.90");
  EXPECT_EQ(short_number(12.34), "12.3");
  EXPECT_EQ(short_number(1234.5), "1234");
  EXPECT_EQ(short_number(std::numeric_limits<double>::infinity()), "-");
}

}  // namespace
}  // namespace kope::bench
