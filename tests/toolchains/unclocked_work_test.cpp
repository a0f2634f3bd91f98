// Inputs and the order of calls are there before the clock runs. A kernel that never returns, but serves the shared
// page itself, can work in the empty batch and answer the real one at once: what it uses of the CPU is charged all the
// same.
#include <gtest/gtest.h>

#include "tests/toolchains/kernel_bench.hpp"
#include "toolchains/runner_page.hpp"

namespace kope {
namespace {

class unclocked_work : public testing::Test {
protected:
  // The shared page is found by its name in /proc, which a kernel in its own root and with its filters on could not.
  static sandbox_defences open_to_proc() {
    sandbox_defences open;
    open.private_root = open.landlock = false;
    return open;
  }
  static host_runner_options unconfined() {
    host_runner_options options;
    options.program = KOPE_RUNNER_PROGRAM;
    options.screened = options.confined = false;
    options.weakest = sandbox_level::process_group;
    return options;
  }

  /// Works for so many nanoseconds of the clock before it answers an empty batch, and not at all in a real one.
  static std::string hijacker(const char* clock, const char* nanoseconds) {
    auto word = [](size_t offset) { return "page[" + std::to_string(offset / sizeof(uint32_t)) + "]"; };
    std::string reads_clock = std::string("clock_gettime(") + clock + ", &";
    return "FILE* maps = fopen(\"/proc/self/maps\", \"r\"); char line[300]; unsigned* page = nullptr;"
           "while (maps && fgets(line, 300, maps)) if (strstr(line, \"kope-control\")) sscanf(line, \"%p\", "
           "(void**)&page);"
           "volatile unsigned* go = &" +
           word(offsetof(runner_page::control, go)) + "; volatile unsigned* done = &" +
           word(offsetof(runner_page::control, done)) +
           "; unsigned seen = *go; __atomic_store_n(done, seen, __ATOMIC_RELEASE);"
           "for (;;) { while (*go == seen) {} seen = *go;"
           "  if (" +
           word(offsetof(runner_page::control, calls)) + " == 0) { timespec start, now; " + reads_clock +
           "start); do " + reads_clock +
           "now);"
           "    while ((now.tv_sec - start.tv_sec) * 1e9 + (now.tv_nsec - start.tv_nsec) < " +
           nanoseconds + "); }  __atomic_store_n(done, seen, __ATOMIC_RELEASE); }";
  }

  result<std::unique_ptr<runner_session>> open(const std::string& body, std::vector<int> cpus) {
    code_ = compiling_.artifact(body, "#include <stdio.h>\n#include <string.h>\n#include <time.h>\n");
    session_request request;
    request.artifact = std::as_bytes(std::span(code_));
    request.layout = {{64}, {64}, {16}, 1};
    request.urgent = !cpus.empty();  // timed
    request.cpus = std::move(cpus);
    return with_->open(request);
  }

  scratch_directory scratch_;
  process_host strongest_{scratch_.path() + "/strongest"};
  kernel_bench compiling_{strongest_};
  process_host host_{scratch_.path() + "/open", process_isolation::strongest_allowed, open_to_proc()};
  std::unique_ptr<runner> with_ = make_host_runner(host_, unconfined());
  std::string code_;
  const uint32_t slot_ = 0;
};

TEST_F(unclocked_work, before_the_clock_is_charged) {
  auto session = open(hijacker("CLOCK_MONOTONIC", "2e7"), {});
  ASSERT_TRUE(session) << session.failure().what;
  ASSERT_EQ((*session)->call({&slot_, 1}, 5)->end, batch_end::done);
  auto report = (*session)->call({&slot_, 1}, 5);
  ASSERT_EQ(report->end, batch_end::done);
  // on a busy machine it gets a part of its 20 ms; what is not charged is microseconds
  EXPECT_GT(report->seconds, 0.002) << "20 ms of work were done while no clock ran";
}

// The same for so short a time that it could be a slow wake-up: the books of the stopped process have every
// microsecond.
TEST_F(unclocked_work, is_charged_to_the_last_microsecond_on_one_cpu) {
  auto session = open(hijacker("CLOCK_THREAD_CPUTIME_ID", "150e3"), {0});
  ASSERT_TRUE(session) << session.failure().what;
  ASSERT_EQ((*session)->call({&slot_, 1}, 5)->end, batch_end::done);
  for (int batch = 0; batch < 20; ++batch) {
    auto report = (*session)->call({&slot_, 1}, 5);
    ASSERT_EQ(report->end, batch_end::done);
    EXPECT_GT(report->cpu_seconds, 150e-6) << "it worked so long in the empty batch";
    EXPECT_NEAR(report->unclocked_seconds, report->cpu_seconds - report->seconds, 1e-9);
  }
}

TEST_F(unclocked_work, is_free_without_the_charge) {
  auto options = unconfined();
  options.charge_early_work = false;
  with_ = make_host_runner(host_, options);
  auto session = open(hijacker("CLOCK_THREAD_CPUTIME_ID", "3e6"), {0});
  ASSERT_TRUE(session) << session.failure().what;
  ASSERT_EQ((*session)->call({&slot_, 1}, 5)->end, batch_end::done);
  double least = 1;
  for (int batch = 0; batch < 20; ++batch) {
    auto report = (*session)->call({&slot_, 1}, 5);
    EXPECT_EQ(report->unclocked_seconds, 0);
    least = std::min(least, report->seconds);
  }
  EXPECT_LT(least, 1e-3) << "three milliseconds of work, and the clock saw none: the charge is there for that";
}

}  // namespace
}  // namespace kope
