// `kope run` on a disk that is full and stays so.

#include <gtest/gtest.h>

#include "tests/support/program.hpp"
#include "tests/support/small_disk.hpp"

namespace kope::testing {
namespace {

using namespace std::chrono_literals;

class disk_full_test : public ::testing::Test {
protected:
  program run(const std::string& attempts) {
    return program(
        home, {"run", KOPE_TEST_DATA "/tasks/small_matmul", "--attempts", attempts, "--seconds", "600", "--seed", "3"},
        {{"KOPE_DATA_DIR", (home.path() / "disk" / "data").string()}});
  }

  program_home home;
  small_disk disk{(home.path() / "disk").string(), "24m"};
};

TEST_F(disk_full_test, run_says_so_goes_on_when_there_is_room_and_is_stopped_in_time_when_there_is_none) {
  SKIP_WITHOUT_MOUNT(disk);
  auto running = run("1000");
  ASSERT_TRUE(running.says("attempt 1: ")) << running.err();
  disk.fill();
  ASSERT_TRUE(running.says("disk-full")) << running.err();
  auto said = running.err().size();
  disk.empty();
  ASSERT_TRUE(running.read_until([&] { return running.err().find("attempt ", said) != std::string::npos; },
                                 program::clock::now() + program::patience))
      << running.err();
  disk.fill();
  ASSERT_TRUE(running.read_until([&] { return running.err().find("disk-full", said) != std::string::npos; },
                                 program::clock::now() + program::patience))
      << running.err();
  running.kill(SIGTERM);
  EXPECT_EQ(running.end_within(12s), 128 + SIGTERM) << running.err();
  EXPECT_EQ(processes_left_after(home, 2s), std::vector<std::string>());
}

TEST_F(disk_full_test, run_ends_after_a_minute_with_one_sentence) {
  SKIP_WITHOUT_MOUNT(disk);
  if (!getenv("KOPE_TEST_ALL")) GTEST_SKIP() << "takes more than a minute: with KOPE_TEST_ALL only";
  auto running = run("1000");
  ASSERT_TRUE(running.says("attempt 1: ")) << running.err();
  disk.fill();
  ASSERT_TRUE(running.says("disk-full")) << running.err();
  EXPECT_EQ(running.end_within(90s), 1) << running.err();
  EXPECT_NE(running.err().find("has been full for 60 s"), std::string::npos) << running.err();
  EXPECT_NE(running.err().find("run the same command again to resume"), std::string::npos) << running.err();
  disk.empty();
  auto again = run("1000");
  EXPECT_TRUE(again.says("resuming exploration")) << again.err();
}

}  // namespace
}  // namespace kope::testing
