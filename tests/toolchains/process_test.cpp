#include "toolchains/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>
#include <sstream>
#include <thread>

#include "tests/toolchains/scratch_directory.hpp"
#include "toolchains/process_tree.hpp"

namespace kope {
namespace {

using namespace std::chrono_literals;

process_request shell(const std::string& script) {
  process_request request;
  request.arguments = {"/bin/sh", "-c", script};
  request.environment = {"PATH=/usr/bin:/bin"};
  return request;
}

size_t open_descriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// Waits for something that other processes bring about; the bound is far above what it takes.
bool comes_true(const std::function<bool()>& condition, std::chrono::milliseconds bound) {
  auto until = std::chrono::steady_clock::now() + bound;
  while (std::chrono::steady_clock::now() < until) {
    if (condition()) return true;
    std::this_thread::yield();
  }
  return condition();
}

size_t processes_with(const std::string& text) {
  size_t count = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    // A process that ends between open and read is ESRCH, which a bare streambuf iterator throws.
    std::ostringstream environment;
    environment << file.rdbuf();
    if (environment.str().find(text) != std::string::npos) ++count;
  }
  return count;
}

class every_isolation : public testing::TestWithParam<process_isolation> {
protected:
  scratch_directory scratch_;
  process_host host_{scratch_.path(), GetParam()};
};

INSTANTIATE_TEST_SUITE_P(process_host, every_isolation,
                         testing::Values(process_isolation::strongest_allowed, process_isolation::process_group),
                         [](const auto& tested) {
                           return tested.param == process_isolation::process_group ? "process_group" : "strongest";
                         });

TEST_P(every_isolation, reports_the_exit_status_and_both_outputs) {
  auto report = host_.run(shell("echo out; echo err >&2; exit 7"));
  ASSERT_TRUE(report) << report.failure().what;
  EXPECT_EQ(report->end, process_end::exited);
  EXPECT_EQ(report->status, 7);
  EXPECT_EQ(report->output, "out\nerr\n");
  EXPECT_FALSE(report->output_cut);
  EXPECT_GT(report->wall_seconds, 0);
}

TEST_P(every_isolation, reports_the_signal_that_ended_a_child) {
  auto request = shell("while :; do :; done");
  request.limits.cpu_seconds = 1;
  auto report = host_.run(request);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->end, process_end::signalled);
  EXPECT_EQ(report->status, SIGKILL);
  EXPECT_GT(report->cpu_seconds, 0.5);
}

TEST_P(every_isolation, kills_the_whole_tree_at_the_wall_limit) {
  // A child in the background, and a grandchild that left session and group and lost its parent.
  auto request = shell(
      "sleep 1000 & setsid sh -c '(sleep 1000 &) ; exec sleep 1000' & setsid sh -c 'sleep 1000 & exit' ; sleep 1000");
  request.environment.push_back("KOPE_TEST_TREE=" + scratch_.path());
  request.limits.wall = 300ms;
  auto report = host_.run(request);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->end, process_end::timed_out);
  EXPECT_LT(report->wall_seconds, 5);
  EXPECT_TRUE(comes_true([&] { return processes_with("KOPE_TEST_TREE=" + scratch_.path()) == 0; }, 5s));
  EXPECT_EQ(host_.counts().timed_out, 1u);
}

TEST_P(every_isolation, leaves_nothing_of_a_child_that_ended_by_itself) {
  auto request = shell("setsid sleep 1000 & exit 0");
  request.environment.push_back("KOPE_TEST_TREE=" + scratch_.path());
  auto report = host_.run(request);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->end, process_end::exited);
  EXPECT_TRUE(comes_true([&] { return processes_with("KOPE_TEST_TREE=" + scratch_.path()) == 0; }, 5s));
}

TEST_P(every_isolation, ends_a_cancelled_child_and_its_tree) {
  std::promise<process_report> promise;
  auto request = shell("setsid sleep 1000 & sleep 1000");
  request.environment.push_back("KOPE_TEST_TREE=" + scratch_.path());
  auto handle = host_.start(request, [&](process_report report) { promise.set_value(std::move(report)); });
  ASSERT_TRUE(handle);
  host_.cancel(handle->id);
  host_.cancel(handle->id);
  host_.cancel(12345);
  auto report = promise.get_future().get();
  EXPECT_EQ(report.end, process_end::cancelled);
  EXPECT_TRUE(comes_true([&] { return processes_with("KOPE_TEST_TREE=" + scratch_.path()) == 0; }, 5s));
}

TEST_P(every_isolation, keeps_descriptors_flat_over_a_thousand_children) {
  auto request = shell("exit 0");
  ASSERT_TRUE(host_.run(request));
  size_t before = open_descriptors();
  for (int batch = 0; batch < 100; ++batch) {
    std::latch left(10);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(host_.start(request, [&](process_report) { left.count_down(); }));
    left.wait();
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(host_.counts().started, 1001u);
  EXPECT_EQ(host_.counts().running, 0u);
}

TEST_P(every_isolation, keeps_descriptors_flat_over_children_that_cannot_start) {
  process_request request;
  request.arguments = {scratch_.path() + "/not-there"};
  ASSERT_FALSE(host_.run(request));
  size_t before = open_descriptors();
  std::ofstream(scratch_.path() + "/text") << "no program\n";
  chmod((scratch_.path() + "/text").c_str(), 0700);
  request.arguments = {scratch_.path() + "/text"};
  for (int i = 0; i < 20; ++i) {
    auto report = host_.run(request);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.failure().code, errc::tool_missing);
    EXPECT_NE(report.failure().what.find(scratch_.path() + "/text"), std::string::npos);
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(host_.counts().refused, 21u);
}

TEST_P(every_isolation, inherits_neither_environment_nor_descriptors) {
  setenv("KOPE_TEST_SECRET", "sesame", 1);
  int ours = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  auto report = host_.run(shell("/usr/bin/env; ls /proc/self/fd | tr '\\n' ' '"));
  close(ours);
  unsetenv("KOPE_TEST_SECRET");
  ASSERT_TRUE(report);
  size_t lines = 0;
  std::istringstream text(report->output);
  for (std::string line; std::getline(text, line) && line.find('=') != std::string::npos; ++lines)
    EXPECT_TRUE(line.starts_with("PATH=") || line.starts_with("PWD=") || line.starts_with("KOPE_CHILD")) << line;
  EXPECT_GE(lines, 3u);
  EXPECT_TRUE(report->output.ends_with("0 1 2 3 ")) << report->output;  // 3 is ls's own on the directory
}

TEST_P(every_isolation, passes_descriptors_in_order_from_3_even_when_their_numbers_cross) {
  std::ofstream(scratch_.path() + "/a") << "first";
  std::ofstream(scratch_.path() + "/b") << "second";
  int a = open((scratch_.path() + "/a").c_str(), O_RDONLY | O_CLOEXEC);
  int b = open((scratch_.path() + "/b").c_str(), O_RDONLY | O_CLOEXEC);
  int high = fcntl(a, F_DUPFD_CLOEXEC, 100);
  auto request = shell("cat <&3; echo; cat <&4");
  request.descriptors = {high, b};
  auto report = host_.run(request);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->output, "first\nsecond");
  lseek(a, 0, SEEK_SET);
  lseek(b, 0, SEEK_SET);
  request.descriptors = {b, a};
  report = host_.run(request);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->output, "second\nfirst");
  for (int fd : {a, b, high}) close(fd);
}

TEST_P(every_isolation, gives_children_default_signals_and_an_empty_mask) {
  auto before = signal(SIGPIPE, SIG_IGN);
  auto report = host_.run(shell("grep -E 'Sig(Blk|Ign)' /proc/self/status"));
  signal(SIGPIPE, before);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_P(every_isolation, pins_to_the_wanted_cpu) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) last = cpu;
  auto request = shell("grep Cpus_allowed_list /proc/self/status");
  request.cpus = {last};
  auto report = host_.run(request);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->output, "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
}

TEST_P(every_isolation, limits_files_and_memory) {
  auto request = shell("head -c 100000 /dev/zero > big; stat -c %s big; ulimit -c; ulimit -v; ulimit -n");
  request.directory = scratch_.path();
  request.limits.file_bytes = 4096;
  request.limits.address_space_bytes = 512 << 20;
  request.limits.open_files = 20;
  auto report = host_.run(request);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->output.ends_with("4096\n0\n524288\n20\n")) << report->output;
}

TEST(process_host, caps_the_output_of_a_child_that_never_stops_and_never_blocks_it) {
  scratch_directory scratch;
  process_host host(scratch.path());
  auto request = shell("head -c 50000000 /dev/zero | tr '\\0' x; echo the end");
  request.limits.output_bytes = 1000;
  auto report = host.run(request);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->end, process_end::exited);
  EXPECT_EQ(report->output, std::string(1000, 'x'));
  EXPECT_TRUE(report->output_cut);
}

TEST(process_host, names_a_program_that_is_not_installed) {
  scratch_directory scratch;
  process_host host(scratch.path());
  process_request request;
  request.arguments = {"no-such-compiler"};
  auto report = host.run(request);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.failure().code, errc::tool_missing);
  EXPECT_TRUE(report.failure().what.starts_with("no-such-compiler is not installed")) << report.failure().what;
  request.arguments = {};
  EXPECT_EQ(host.run(request).failure().code, errc::invalid_input);
  request.arguments = {"true"};
  request.directory = scratch.path() + "/missing";
  auto nowhere = host.run(request);
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.failure().what.find("/missing"), std::string::npos);
}

TEST(process_host, lets_a_callback_start_the_next_child) {
  scratch_directory scratch;
  process_host host(scratch.path());
  std::promise<int> promise;
  auto first = host.start(shell("exit 1"), [&](process_report) {
    auto second = host.start(shell("exit 2"), [&](process_report report) { promise.set_value(report.status); });
    if (!second) promise.set_value(-1);
  });
  ASSERT_TRUE(first);
  EXPECT_EQ(promise.get_future().get(), 2);
}

TEST(process_host, reports_every_child_when_it_is_destroyed) {
  scratch_directory scratch;
  std::atomic<int> cancelled = 0;
  {
    process_host host(scratch.path());
    for (int i = 0; i < 5; ++i)
      ASSERT_TRUE(host.start(shell("sleep 1000"),
                             [&](process_report report) { cancelled += report.end == process_end::cancelled; }));
  }
  EXPECT_EQ(cancelled, 5);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path())) << "the list of children must be gone";
}

struct two_children {
  const char* script;
  size_t processes;  // of both together, at the least
};
const two_children with_children_of_their_own = {"setsid sh -c 'echo started; exec sleep 1000' & sleep 1000", 4};
const two_children alone = {"exec sleep 1000", 2};

// A program that starts two children and waits to be killed. Runs in a forked copy of this test.
[[noreturn]] void be_a_program(const std::string& scratch, process_isolation isolation, sandbox_defences defences,
                               two_children children, int ready) {
  process_host host(scratch, isolation, defences);
  auto request = shell(children.script);
  request.limits.wall = 100s;
  for (int i = 0; i < 2; ++i) {
    auto handle = host.start(request, {});
    if (!handle) _exit(1);
    // A runner between batches is stopped; it has to die all the same. The grandchild must be there first.
    if (i == 1 && !comes_true([&] { return processes_with(scratch_marker(scratch)) >= children.processes; }, 5s))
      _exit(1);
    if (i == 1) kill(handle->pid, SIGSTOP);
  }
  char byte = 'r';
  if (write(ready, &byte, 1) != 1) _exit(1);
  for (;;) pause();
}

pid_t start_program(const std::string& scratch, process_isolation isolation, sandbox_defences defences = {},
                    two_children children = with_children_of_their_own) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  pid_t program = fork();
  if (program == 0) be_a_program(scratch, isolation, defences, children, ends[1]);
  close(ends[1]);
  char byte = 0;
  bool up = read(ends[0], &byte, 1) == 1;
  close(ends[0]);
  return up ? program : -1;
}

TEST(process_host, leaves_no_child_within_two_seconds_when_the_program_is_killed) {
  scratch_directory scratch;
  if (!process_host(scratch.path()).has_pid_namespace()) GTEST_SKIP() << "this machine allows no PID namespace";
  pid_t program = start_program(scratch.path(), process_isolation::strongest_allowed);
  ASSERT_GT(program, 0);
  ASSERT_TRUE(comes_true([&] { return processes_with(scratch_marker(scratch.path())) >= 4; }, 5s));
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  EXPECT_TRUE(comes_true([&] { return processes_with(scratch_marker(scratch.path())) == 0; }, 2s));
}

TEST(process_host, tells_its_children_to_die_with_it_and_without_that_they_live_on) {
  for (bool death_signal : {true, false}) {
    scratch_directory scratch;
    sandbox_defences defences;
    defences.death_signal = death_signal;
    pid_t program = start_program(scratch.path(), process_isolation::process_group, defences, alone);
    ASSERT_GT(program, 0);
    std::string marker = scratch_marker(scratch.path());
    ASSERT_EQ(processes_with(marker), 2u);
    kill(program, SIGKILL);
    waitpid(program, nullptr, 0);  // the signal is sent before the program can be reaped
    if (death_signal) {
      EXPECT_TRUE(comes_true([&] { return processes_with(marker) == 0; }, 5s));
    } else {
      EXPECT_EQ(processes_with(marker), 2u);
    }
    process_host(scratch.path(), process_isolation::process_group).sweep();
    EXPECT_TRUE(comes_true([&] { return processes_with(marker) == 0; }, 5s)) << "the next start finds them";
  }
}

TEST(process_host, sweeps_what_a_killed_program_left_and_spares_the_children_of_a_living_one) {
  scratch_directory scratch;
  pid_t program = start_program(scratch.path(), process_isolation::process_group);
  ASSERT_GT(program, 0);
  std::string marker = scratch_marker(scratch.path());
  ASSERT_TRUE(comes_true([&] { return processes_with(marker) >= 4; }, 5s));
  process_host host(scratch.path(), process_isolation::process_group);
  EXPECT_EQ(host.sweep(), 0u) << "the program still lives";
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  std::promise<process_report> own;
  auto handle = host.start(shell("sleep 1000"), [&](process_report report) { own.set_value(std::move(report)); });
  ASSERT_TRUE(handle);
  // Those in sessions of their own outlive PDEATHSIG, which reaches direct children alone.
  EXPECT_GE(host.sweep(), 2u);
  EXPECT_TRUE(comes_true([&] { return processes_with(marker) <= 2; }, 2s));
  EXPECT_EQ(host.counts().running, 1u);
  host.cancel(handle->id);
  EXPECT_EQ(own.get_future().get().end, process_end::cancelled);
  EXPECT_EQ(processes_with(marker), 0u);
}

}  // namespace
}  // namespace kope
