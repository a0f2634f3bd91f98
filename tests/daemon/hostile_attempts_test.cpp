// Hostile sources leave nothing: over many of them the program's memory, descriptors, children and scratch files stay
// what they were after the first of each, and the disk grows by the stated bytes an attempt. A thousand of them with
// KOPE_TEST_ALL=1.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>
#include <sstream>

#include "tests/support/program.hpp"

namespace kope::testing {
namespace {

struct figures {
  size_t attempts = 0, anonymous_kib = 0, descriptors = 0, children = 0, scratch = 0, graph_bytes = 0;
};

struct course {
  std::vector<figures> said;
  std::multiset<std::string> outcomes;
};

course read_course(const std::string& out) {
  course found;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what, name, outcome;
    words >> what;
    if (what == "after") {
      figures now;
      words >> now.attempts >> now.anonymous_kib >> now.descriptors >> now.children >> now.scratch >> now.graph_bytes;
      found.said.push_back(now);
    } else if (what == "outcome") {
      words >> name >> outcome;
      found.outcomes.insert(outcome);
    }
  }
  return found;
}

/// Files in the places that everybody may write, of the users that children are when we are root.
std::vector<std::string> files_of_children() {
  std::vector<std::string> found;
  for (const char* place : {"/tmp", "/var/tmp", "/dev/shm"}) {
    std::error_code gone;
    for (std::filesystem::directory_iterator at(place, gone), end; !gone && at != end; at.increment(gone)) {
      struct stat about {};
      if (lstat(at->path().c_str(), &about) == 0 && about.st_uid >= 61184 && about.st_uid < 61184 + 4096)
        found.push_back(at->path());
    }
  }
  return found;
}

TEST(hostile_attempts, leave_memory_descriptors_processes_and_files_as_they_were) {
  bool all = getenv("KOPE_TEST_ALL");
  size_t sources = all ? 1000 : 10;  // more than there are: every one
  size_t attempts = all ? 1000 : 30;
  program_home home;
  program running(home, {std::to_string(attempts), std::to_string(sources)}, {}, KOPE_HOSTILE_ATTEMPTS);
  auto code = running.end_within(all ? std::chrono::minutes(14) : std::chrono::minutes(3));
  ASSERT_EQ(code, 0) << running.out() << running.err();
  auto seen = read_course(running.out());
  ASSERT_EQ(seen.outcomes.size(), attempts);
  for (auto bad : {"improved", "harness_error", "interrupted"})
    EXPECT_EQ(seen.outcomes.count(bad), 0u) << bad << '\n' << running.out();
  ASSERT_EQ(seen.said.size(), 2u) << running.out();
  const auto &before = seen.said[0], &after = seen.said[1];
  ASSERT_EQ(after.attempts, attempts);
  double more = static_cast<double>(after.attempts - before.attempts);
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.children, before.children);  // the oracles of the tasks, frozen
  EXPECT_EQ(after.scratch, before.scratch);
  // What the heap keeps of an actor system that ended: not a byte an attempt, but no even number either.
  EXPECT_LT(static_cast<double>(after.anonymous_kib), static_cast<double>(before.anonymous_kib) + 24 * 1024 + 4 * more);
  // docs/GRAPH_FORMAT.md: 5.1 KiB an attempt, and these sources come again and again. The file grows by whole pages.
  double graph_bytes = static_cast<double>(after.graph_bytes) - static_cast<double>(before.graph_bytes);
  EXPECT_LT(graph_bytes, 5.1 * 1024 * more + 64 * 1024);
  EXPECT_EQ(processes_left_after(home, std::chrono::seconds(2)), std::vector<std::string>());
  EXPECT_EQ(files_of_children(), std::vector<std::string>());
  std::printf("%zu attempts after the first %zu: %+.0f KiB of memory, %+.1f KiB of graph each\n",
              after.attempts - before.attempts, before.attempts,
              static_cast<double>(after.anonymous_kib) - static_cast<double>(before.anonymous_kib),
              graph_bytes / 1024 / more);
}

}  // namespace
}  // namespace kope::testing
