#include "toolchains/device.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <string>

namespace kope {
namespace {

TEST(device, describes_this_machine_the_same_way_twice) {
  auto first = detect_target(1);
  auto second = detect_target(1);
  ASSERT_TRUE(first && second) << first.failure().what;
  EXPECT_TRUE(*first == *second);
  auto read = first->read();
  EXPECT_EQ(read->getKey().size(), 64u);
  EXPECT_GT(read->getVendor().size(), 0u);
  EXPECT_GT(read->getModel().size(), std::string("family ").size());
  EXPECT_EQ(read->getCores(), 1u);
  EXPECT_EQ(read->getThreads(), 1u);
}

TEST(device, lists_vector_extensions_sorted_and_no_others) {
  auto target = detect_target(1);
  ASSERT_TRUE(target);
  std::vector<std::string> names;
  auto described = target->read();
  for (auto name : described->getIsa()) names.push_back(name.cStr());
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::count(names.begin(), names.end(), "hypervisor"), 0);
#if defined(__x86_64__)
  EXPECT_EQ(std::count(names.begin(), names.end(), "avx2"), __builtin_cpu_supports("avx2") ? 1 : 0);
  EXPECT_EQ(std::count(names.begin(), names.end(), "avx512f"), __builtin_cpu_supports("avx512f") ? 1 : 0);
#endif
}

TEST(device, makes_another_key_for_other_threads_and_another_timing_mode) {
  auto key = [](auto target) { return std::string(target->read()->getKey().cStr()); };
  EXPECT_NE(key(detect_target(1)), key(detect_target(2)));
  EXPECT_NE(key(detect_target(1)), key(detect_target(1, wire::TimingMode::RESIDENT)));
  EXPECT_EQ(detect_target(0).failure().code, errc::invalid_input);
}

TEST(device, knows_the_cpus_of_its_affinity_mask) {
  auto cpus = usable_cpus();
  ASSERT_FALSE(cpus.empty());
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  EXPECT_EQ(static_cast<size_t>(CPU_COUNT(&before)), cpus.size());
}

}  // namespace
}  // namespace kope
