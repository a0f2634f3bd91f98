#include "actors/core_ledger/ledger_core.hpp"

#include <gtest/gtest.h>

#include "messages/actors.hpp"

namespace kope {
namespace {

auto always_free = [] { return true; };
auto never_free = [] { return false; };
auto always_room = [](size_t) { return true; };
using numbers = std::vector<uint64_t>;

TEST(ledger_core, grants_as_many_shared_slots_as_there_are_cores) {
  ledger_core ledger(2);
  for (uint64_t i = 1; i <= 3; ++i) ledger.request({i, core_use::compile});
  EXPECT_EQ(ledger.grant(always_free, always_room), (numbers{1, 2}));
  EXPECT_EQ(ledger.grant(always_free, always_room), numbers{});
  ledger.release(1);
  EXPECT_EQ(ledger.grant(always_free, always_room), numbers{3});
}

TEST(ledger_core, measures_alone_and_starts_nothing_while_a_measure_waits) {
  ledger_core ledger(2);
  ledger.request({1, core_use::run});
  EXPECT_EQ(ledger.grant(always_free, always_room), numbers{1});
  ledger.request({2, core_use::measure});
  ledger.request({3, core_use::compile});
  EXPECT_EQ(ledger.grant(always_free, always_room), numbers{}) << "a free core must not go to 3 while 2 waits";
  ledger.release(1);
  EXPECT_EQ(ledger.grant(always_free, always_room), numbers{2});
  EXPECT_TRUE(ledger.measuring());
  EXPECT_EQ(ledger.grant(always_free, always_room), numbers{});
  ledger.release(2);
  EXPECT_EQ(ledger.grant(always_free, always_room), numbers{3});
}

TEST(ledger_core, lets_others_pass_a_compile_for_whose_artifact_there_is_no_room) {
  ledger_core ledger(3);
  auto one_at_a_time = [](size_t compiling) { return compiling == 0; };
  ledger.request({1, core_use::compile});
  ledger.request({2, core_use::compile});
  ledger.request({3, core_use::run});
  EXPECT_EQ(ledger.grant(always_free, one_at_a_time), (numbers{1, 3}));
  ledger.release(1);
  EXPECT_EQ(ledger.grant(always_free, one_at_a_time), numbers{2});
}

TEST(ledger_core, shares_cores_while_another_program_measures) {
  ledger_core ledger(2);
  ledger.request({1, core_use::measure});
  ledger.request({2, core_use::compile});
  EXPECT_EQ(ledger.grant(never_free, always_room), numbers{2});
  EXPECT_TRUE(ledger.machine_busy());
  ledger.release(2);
  EXPECT_EQ(ledger.grant(always_free, always_room), numbers{1});
  EXPECT_FALSE(ledger.machine_busy());
}

TEST(ledger_core, grants_nothing_while_paused_and_goes_on_after) {
  ledger_core ledger(1);
  ledger.pause(true);
  ledger.request({1, core_use::run});
  EXPECT_EQ(ledger.grant(always_free, always_room), numbers{});
  ledger.pause(false);
  EXPECT_EQ(ledger.grant(always_free, always_room), numbers{1});
}

TEST(ledger_core, forgets_a_request_that_is_withdrawn_and_ignores_a_second_release) {
  ledger_core ledger(1);
  ledger.request({1, core_use::run});
  ledger.request({2, core_use::run});
  EXPECT_EQ(ledger.grant(always_free, always_room), numbers{1});
  ledger.release(2);
  ledger.release(1);
  ledger.release(1);
  EXPECT_EQ(ledger.grant(always_free, always_room), numbers{});
  EXPECT_EQ(ledger.waiting(), 0u);
  EXPECT_EQ(ledger.granted(), 0u);
}

}  // namespace
}  // namespace kope
