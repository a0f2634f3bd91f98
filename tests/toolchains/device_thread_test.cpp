#include "toolchains/device_thread.hpp"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <memory>
#include <set>
#include <thread>

namespace kope {
namespace {

TEST(device_threads, runs_as_many_jobs_at_once_as_it_has_threads) {
  device_threads threads(2);
  std::latch together(2);
  std::promise<void> both;
  std::atomic<int> ended = 0;
  for (int i = 0; i < 2; ++i)
    threads.post([&](const cancel_flag&) {
      together.arrive_and_wait();  // neither passes unless both run
      if (++ended == 2) both.set_value();
    });
  both.get_future().wait();
}

TEST(device_threads, runs_jobs_in_order_on_one_thread) {
  device_threads threads(1);
  std::vector<int> order;
  std::promise<void> last;
  for (int i = 0; i < 10; ++i)
    threads.post([&, i](const cancel_flag&) {
      order.push_back(i);
      if (i == 9) last.set_value();
    });
  last.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(device_threads, hands_a_job_the_flag_that_its_poster_holds) {
  device_threads threads(1);
  std::latch begun(1);
  std::promise<bool> saw;
  auto flag = threads.post([&](const cancel_flag& own) {
    begun.count_down();
    while (!own->load()) std::this_thread::yield();
    saw.set_value(true);
  });
  begun.wait();
  flag->store(true);
  EXPECT_TRUE(saw.get_future().get());
}

TEST(device_threads, still_runs_a_job_that_was_cancelled_in_the_queue) {
  device_threads threads(1);
  std::latch hold(1);
  std::promise<bool> cancelled;
  threads.post([&](const cancel_flag&) { hold.wait(); });
  auto flag = threads.post([&](const cancel_flag& own) { cancelled.set_value(own->load()); });
  flag->store(true);
  hold.count_down();
  EXPECT_TRUE(cancelled.get_future().get());
}

TEST(device_threads, cancels_what_runs_and_drops_what_waits_when_it_ends) {
  std::atomic<int> ran = 0;
  std::latch begun(1);
  {
    device_threads threads(1);
    threads.post([&](const cancel_flag& own) {
      begun.count_down();
      while (!own->load()) std::this_thread::yield();
      ++ran;
    });
    begun.wait();
    for (int i = 0; i < 5; ++i) threads.post([&](const cancel_flag&) { ran += 100; });
  }
  EXPECT_EQ(ran, 1);
}

TEST(device_threads, are_stopped_by_their_owner_while_a_job_holds_the_last_reference) {
  auto threads = std::make_shared<device_threads>(1);
  std::promise<void> begun;
  threads->post([held = threads, &begun](const cancel_flag& cancel) {
    begun.set_value();
    while (!*cancel) std::this_thread::yield();
  });
  begun.get_future().wait();
  threads->stop();
  EXPECT_EQ(threads.use_count(), 1) << "the job has let go";
}

}  // namespace
}  // namespace kope
