#include "actors/stage_pool/pool_core.hpp"

#include <gtest/gtest.h>

#include "tests/support/sample_work.hpp"

namespace kope {
namespace {

using namespace std::chrono_literals;
using testing::sample_work;

const exploration_id a{1}, b{2};

pool_item item(exploration_id exploration, uint32_t number) {
  return {make_attempt_id(exploration, number), sample_work(exploration, number), 0};
}

class pool_core_test : public ::testing::Test {
protected:
  pool_core core{10s};
  pool_time now{};

  /// Hands out with a fresh grant; the attempt's number, or 0.
  uint64_t hand_out() {
    core.grant_requested(++request);
    auto out = core.granted(request, now);
    if (!out) return 0;
    last = out->worker;
    return attempt_id::parse(std::string_view(out->content.read()->getPlan().getHeader().getAttempt().cStr()))->value;
  }
  uint64_t request = 0;
  worker_number last = 0;
};

TEST_F(pool_core_test, wants_a_grant_for_each_item_that_an_idle_worker_could_take) {
  EXPECT_EQ(core.grants_wanted(), 0u);
  core.submit(item(a, 1));
  core.submit(item(a, 2));
  EXPECT_EQ(core.grants_wanted(), 0u) << "no worker";
  core.worker_ready(1);
  EXPECT_EQ(core.grants_wanted(), 1u);
  core.grant_requested(1);
  EXPECT_EQ(core.grants_wanted(), 0u) << "asked already";
}

TEST_F(pool_core_test, takes_explorations_in_turn) {
  for (uint32_t n = 1; n <= 3; ++n) core.submit(item(a, n));
  core.submit(item(b, 1));
  for (worker_number w = 1; w <= 4; ++w) core.worker_ready(w);
  EXPECT_EQ(hand_out(), make_attempt_id(a, 1).value);
  EXPECT_EQ(hand_out(), make_attempt_id(b, 1).value) << "b must not wait behind all of a";
  EXPECT_EQ(hand_out(), make_attempt_id(a, 2).value);
}

TEST_F(pool_core_test, refuses_an_attempt_that_is_queued_or_running) {
  EXPECT_TRUE(core.submit(item(a, 1)));
  EXPECT_FALSE(core.submit(item(a, 1)));
  core.worker_ready(1);
  hand_out();
  EXPECT_FALSE(core.submit(item(a, 1)));
}

TEST_F(pool_core_test, hands_out_once_more_after_a_worker_died_and_gives_up_after_the_second) {
  core.submit(item(a, 1));
  core.submit(item(a, 2));
  core.worker_ready(1);
  core.worker_ready(2);
  ASSERT_EQ(hand_out(), make_attempt_id(a, 1).value);
  auto lost = core.worker_down(last);
  EXPECT_EQ(lost.request, request);
  EXPECT_FALSE(lost.given_up);
  ASSERT_EQ(hand_out(), make_attempt_id(a, 1).value) << "at the front, not behind attempt 2";
  lost = core.worker_down(last);
  ASSERT_TRUE(lost.given_up);
  EXPECT_EQ(lost.given_up->attempt, make_attempt_id(a, 1));
  EXPECT_EQ(core.queued(), 1u);
}

TEST_F(pool_core_test, ends_a_lease_once_and_ignores_what_the_worker_says_later) {
  core.submit(item(a, 1));
  core.worker_ready(1);
  hand_out();
  now += 9s;
  EXPECT_TRUE(core.expire(now).empty());
  now += 2s;
  EXPECT_EQ(core.expire(now).size(), 1u);
  EXPECT_TRUE(core.expire(now).empty()) << "reported once";
  auto ended = core.finished(make_attempt_id(a, 1), 1);
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->expired);
  EXPECT_EQ(ended->request, request) << "the core is given back only now";
}

TEST_F(pool_core_test, an_expired_item_whose_worker_dies_is_not_handed_out_again) {
  core.submit(item(a, 1));
  core.worker_ready(1);
  hand_out();
  now += 11s;
  core.expire(now);
  auto lost = core.worker_down(1);
  EXPECT_EQ(lost.request, request);
  EXPECT_FALSE(lost.given_up);
  EXPECT_EQ(core.queued(), 0u);
}

TEST_F(pool_core_test, accepts_an_end_only_from_the_worker_that_has_the_work) {
  core.submit(item(a, 1));
  core.worker_ready(1);
  hand_out();
  EXPECT_FALSE(core.finished(make_attempt_id(a, 1), 2));
  EXPECT_FALSE(core.finished(make_attempt_id(a, 2), 1));
  EXPECT_TRUE(core.finished(make_attempt_id(a, 1), 1));
  EXPECT_FALSE(core.finished(make_attempt_id(a, 1), 1));
}

TEST_F(pool_core_test, cancel_drops_the_queue_of_one_exploration_and_names_its_workers) {
  core.submit(item(a, 1));
  core.submit(item(a, 2));
  core.submit(item(b, 1));
  core.worker_ready(1);
  hand_out();
  auto cancelled = core.cancel(a);
  EXPECT_EQ(cancelled.workers, std::vector<worker_number>{1});
  EXPECT_EQ(core.queued(), 1u);
}

TEST_F(pool_core_test, a_grant_without_work_or_worker_hands_out_nothing) {
  EXPECT_EQ(hand_out(), 0u);
  core.worker_ready(1);
  EXPECT_EQ(hand_out(), 0u);
}

}  // namespace
}  // namespace kope
