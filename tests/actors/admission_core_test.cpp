#include "actors/core_ledger/admission_core.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "toolchains/cpp_compiler_options.hpp"

namespace kope {
namespace {

const exploration_id a{1}, b{2}, c{3};
using admissions = std::vector<std::pair<exploration_id, uint32_t>>;
constexpr uint64_t mebibyte = 1 << 20;

TEST(admission_core, admits_at_most_64_attempts_a_core_over_all_explorations) {
  admission_core admission(1);
  admission.want(a, 50);
  admission.want(b, 50);
  EXPECT_EQ(admission.admit(0), (admissions{{a, 32}, {b, 32}}));
  EXPECT_EQ(admission.in_flight(), 64u);
  EXPECT_EQ(admission.waiting(), 36u);
  EXPECT_EQ(admission.admit(0), admissions{});
  admission.leave(a, 1);
  EXPECT_EQ(admission.admit(0).size(), 1u);
  EXPECT_EQ(admission.in_flight(), 64u);
}

TEST(admission_core, an_exploration_that_wants_much_does_not_shut_out_one_that_comes_later) {
  admission_core admission(1);
  admission.want(a, 1000);
  EXPECT_EQ(admission.admit(0), (admissions{{a, 64}}));
  admission.want(b, 1);
  admission.want(c, 1);
  admission.leave(a, 3);
  EXPECT_EQ(admission.admit(0), (admissions{{a, 1}, {b, 1}, {c, 1}}));
}

TEST(admission_core, an_ended_exploration_makes_room_and_wants_nothing_more) {
  admission_core admission(1);
  admission.want(a, 100);
  admission.admit(0);
  admission.forget(a);
  EXPECT_EQ(admission.in_flight(), 0u);
  EXPECT_EQ(admission.waiting(), 0u);
  admission.want(b, 1);
  EXPECT_EQ(admission.admit(0), (admissions{{b, 1}}));
}

TEST(admission_core, parcels_that_a_pool_still_holds_of_an_ended_exploration_count_until_it_lets_go) {
  admission_core admission(1);
  admission.want(a, 1);
  admission.admit(0);
  admission.hold(make_attempt_id(a, 1), 5 * mebibyte);
  admission.forget(a);
  EXPECT_EQ(admission.in_flight(), 1u);
  EXPECT_EQ(admission.bytes(0), 5 * mebibyte);
  admission.hold(make_attempt_id(a, 1), 0);
  EXPECT_EQ(admission.in_flight(), 0u);
  EXPECT_EQ(admission.bytes(0), 0u);
}

TEST(admission_core, an_attempt_counts_as_the_largest_candidate_until_it_is_weighed) {
  admission_core admission(64);
  admission.want(a, 4000);
  admission.admit(0);
  EXPECT_EQ(admission.in_flight(), bytes_in_flight_max / 2 / candidate_bytes_max);
  auto before = admission.in_flight();
  for (uint32_t n = 1; n <= before; ++n) admission.hold(make_attempt_id(a, n), 20'000);
  admission.admit(0);
  EXPECT_GT(admission.in_flight(), before) << "twenty kilobytes each leave room for more";
}

TEST(admission_core, a_compile_waits_for_room_for_its_artifact_and_gets_it_when_later_stages_let_go) {
  admission_core admission(64);
  admission.want(a, 31);
  admission.admit(0);
  for (uint32_t n = 1; n <= 31; ++n) admission.hold(make_attempt_id(a, n), 8 * mebibyte);
  EXPECT_TRUE(admission.room_to_compile(0));
  EXPECT_FALSE(admission.room_to_compile(1));
  admission.hold(make_attempt_id(a, 1), 0);
  admission.leave(a, 1);
  EXPECT_TRUE(admission.room_to_compile(1));
}

TEST(admission_core, counts_what_the_compiler_may_write_as_it_is_limited) {
  EXPECT_GE(artifact_bytes_max, cpp_compiler_options{}.artifact_mebibytes * mebibyte);
}

// Whatever comes in whatever order: the limits hold, the counts come back to nothing, and nobody waits for ever.
RC_GTEST_PROP(admission_core, keeps_its_limits_and_ends_empty_in_every_order, ()) {
  admission_core admission(2);
  std::map<exploration_id, uint32_t> owed;  // admitted and not ended
  std::set<attempt_id> held;
  uint32_t number = 0;
  auto admit = [&] {
    for (auto [id, count] : admission.admit(1)) owed[id] += count;
    RC_ASSERT(admission.bytes(1) <= bytes_in_flight_max);
  };
  auto steps = *rc::gen::inRange(0, 300);
  for (int step = 0; step < steps; ++step) {
    exploration_id of{*rc::gen::inRange<uint64_t>(1, 4)};
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        admission.want(of, *rc::gen::inRange(0u, 40u));
        break;
      case 1:
        if (owed[of] > 0) {
          --owed[of];
          admission.leave(of, 1);
        }
        break;
      case 2:
        if (owed[of] > 0 && admission.room_to_compile(1)) {
          auto attempt = make_attempt_id(of, ++number);
          held.insert(attempt);
          admission.hold(attempt, *rc::gen::inRange<uint64_t>(1, artifact_bytes_max));
        }
        break;
      case 3:
        if (!held.empty()) {
          admission.hold(*held.begin(), 0);
          held.erase(held.begin());
        }
        break;
      default:
        owed[of] = 0;
        admission.forget(of);
    }
    admit();
  }
  for (auto attempt : held) admission.hold(attempt, 0);
  for (auto [id, count] : owed) admission.leave(id, count);
  admission.admit(1);
  RC_ASSERT(admission.waiting() == 0u || admission.in_flight() > 0u);
  for (uint64_t id = 1; id <= 3; ++id) admission.forget(exploration_id{id});
  RC_ASSERT(admission.in_flight() == 0u);
  RC_ASSERT(admission.waiting() == 0u);
  RC_ASSERT(admission.bytes(0) == 0u);
}

}  // namespace
}  // namespace kope
