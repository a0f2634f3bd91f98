#include "actors/evaluation/cpu_choice.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>

#include "toolchains/device.hpp"

namespace kope {
namespace {

cpu_set_t own() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

TEST(cpu_choice, picks_one_of_those_it_is_given_and_stays_where_it_was) {
  auto cpus = usable_cpus();
  auto before = own();
  EXPECT_EQ(std::count(cpus.begin(), cpus.end(), quickest_cpu(cpus)), 1);
  auto after = own();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(cpu_choice, leaves_out_those_that_cannot_be_used) {
  auto usable = usable_cpus().back();
  EXPECT_EQ(quickest_cpu({CPU_SETSIZE - 1, usable}), usable);
}

TEST(cpu_choice, keeps_off_a_cpu_for_as_long_as_it_is_told_to) {
  auto cpus = usable_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "there is only one CPU";
  auto before = own();
  {
    stay_off off(cpus[0]);
    auto during = own();
    EXPECT_FALSE(CPU_ISSET(cpus[0], &during));
    EXPECT_TRUE(CPU_ISSET(cpus[1], &during));
  }
  auto after = own();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace kope
