#include "toolchains/hardware_counters.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <vector>

namespace kope {
namespace {

// Events that the kernel counts itself are on every machine: they show that what is opened is read.
constexpr std::array<counted_event, counted_events> software = {
    {{"task clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
     {"page faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
     {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY}}};

TEST(hardware_counters, count_what_happens_between_two_readings) {
  auto counters = hardware_counters::open(0, software);
  if (!counters) GTEST_SKIP() << "THIS MACHINE LETS NOTHING BE COUNTED: " << counters.failure().what;
  auto before = counters->read();
  std::vector<char> touched(256 * 4096);
  for (size_t at = 0; at < touched.size(); at += 4096) touched[at] = 1;
  volatile double work = 1;
  for (int i = 0; i < 1'000'000; ++i) work = work * 1.0000001;
  auto after = counters->read();
  EXPECT_GT(after[0], before[0]) << "nanoseconds of this thread";
  EXPECT_GE(after[1], before[1]);
  EXPECT_EQ(after[2], 0) << "nothing is counted by a dummy";
}

TEST(hardware_counters, that_do_not_exist_are_one_sentence_that_names_the_event) {
  auto events = software;
  events[1] = {"unicorns", PERF_TYPE_SOFTWARE, 999};
  auto counters = hardware_counters::open(0, events);
  ASSERT_FALSE(counters);
  EXPECT_NE(counters.failure().what.find("unicorns"), std::string::npos) << counters.failure().what;
  EXPECT_EQ(counters.failure().what.find('\n'), std::string::npos);
}

TEST(hardware_counters, are_reported_as_names_or_as_a_reason) {
  auto report = probe_counters();
  EXPECT_NE(report.text.find(report.available ? "cycles, instructions, cache misses" : "none: "), std::string::npos)
      << report.text;
}

}  // namespace
}  // namespace kope
