// The program where a container leaves it neither namespaces nor the right to mount: it works at level `lite`, or says
// in one sentence what is missing.
#include <errno.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "toolchains/syscall_filter.hpp"

namespace kope::testing {
namespace {

/// What usual containers refuse: clone3, so that the flags of clone can be seen, and everything about namespaces.
bool take(bool landlock_too) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  constexpr uint32_t namespaces =
      CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  constexpr uint32_t no = syscall_filter::refused(EPERM);
  syscall_filter filter;
  filter.rule(SYS_clone3, syscall_filter::refused(ENOSYS));
  filter.rule_on_bits(SYS_clone, 0, namespaces, no, syscall_filter::allowed);
  constexpr int refused[] = {SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root};
  filter.rules(refused, no);
  if (landlock_too) filter.rule(SYS_landlock_create_ruleset, syscall_filter::refused(ENOSYS));
  filter.everything_else(syscall_filter::allowed);
  if (filter.install(false) != 0) return false;
  // Root of a container has no rights over the system. One who is not root never had them.
  return geteuid() != 0 || prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0) == 0;
}
bool take_namespaces() { return take(false); }
bool take_namespaces_and_landlock() { return take(true); }

const std::vector<std::string> judge_a_source = {"eval", std::string(KOPE_TEST_DATA) + "/tasks/small_matmul",
                                                 std::string(KOPE_TEST_DATA) + "/eval/hidden_element.cpp", "--json"};

TEST(container, without_namespaces_holds_candidates_at_level_lite) {
  program_home home;
  program running(home, judge_a_source, {}, KOPE_PROGRAM, take_namespaces);
  EXPECT_EQ(running.end_within(program::patience), 6) << running.err();
  auto document = nlohmann::json::parse(running.out(), nullptr, false);
  ASSERT_TRUE(document.is_object()) << running.out() << running.err();
  EXPECT_EQ(document["level"], "lite");
  EXPECT_EQ(document["outcome"], "wrong_answer");
  EXPECT_EQ(processes_left_after(home, std::chrono::seconds(2)), std::vector<std::string>());
}

TEST(container, without_landlock_either_runs_nothing_and_says_what_is_missing_in_one_sentence) {
  program_home home;
  program running(home, judge_a_source, {}, KOPE_PROGRAM, take_namespaces_and_landlock);
  EXPECT_EQ(running.end_within(program::patience), 1) << running.out();
  EXPECT_NE(running.err().find("cannot hold candidates"), std::string::npos) << running.err();
  EXPECT_NE(running.err().find("Landlock"), std::string::npos) << running.err();
  EXPECT_EQ(std::count(running.err().begin(), running.err().end(), '\n'), 1) << running.err();
}

TEST(container, shows_its_level_in_doctor) {
  program_home home;
  program running(home, {"doctor", "--json"}, {}, KOPE_PROGRAM, take_namespaces);
  EXPECT_EQ(running.end_within(program::patience), 0) << running.out() << running.err();
  auto document = nlohmann::json::parse(running.out(), nullptr, false);
  ASSERT_TRUE(document.is_array()) << running.out();
  for (auto& finding : document) {
    if (finding["what"] != "sandbox") continue;
    std::string text = finding["text"];
    EXPECT_TRUE(text.starts_with("lite")) << text;
    EXPECT_NE(text.find("full: "), std::string::npos) << "what the stronger level lacks: " << text;
  }
}

}  // namespace
}  // namespace kope::testing
