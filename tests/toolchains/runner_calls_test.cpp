// What a candidate can ask of the kernel once it runs: the runner's own filters, alone and under every hold. Each
// attack is seen to work with the filters off, so that a filter that does nothing fails here.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/toolchains/kernel_bench.hpp"

namespace kope {
namespace {

class runner_calls : public testing::Test {
protected:
  kernel_bench::ending confined(const std::string& body) { return bench_.run(*confined_, bench_.artifact(body)); }
  kernel_bench::ending free(const std::string& body) { return bench_.run(*free_, bench_.artifact(body)); }
  /// `body` stores 1 in out[0] when the attack worked.
  void ends(const std::string& body, const std::string& call) {
    auto works = free(body);
    ASSERT_EQ(works.report.end, batch_end::done) << works.error << works.words;
    EXPECT_EQ(works.out[0], 1) << "with the filters off " << call << " should work, or the test shows nothing";
    auto caught = confined(body);
    EXPECT_EQ(caught.report.end, batch_end::crashed) << caught.error;
    EXPECT_EQ(caught.report.status, SIGSYS);
    EXPECT_EQ(caught.report.refused_call, call);
  }
  void fails(const std::string& body) {
    auto works = free(body);
    ASSERT_EQ(works.report.end, batch_end::done) << works.error << works.words;
    EXPECT_EQ(works.out[0], 1) << "with the filters off it should work, or the test shows nothing";
    auto caught = confined(body);
    EXPECT_EQ(caught.report.end, batch_end::done) << caught.error << caught.words;
    EXPECT_EQ(caught.out[0], 0);
  }

  static host_runner_options without_filters() {
    auto options = runner_options();
    options.confined = false;
    return options;
  }

  scratch_directory scratch_;
  process_host host_{scratch_.path() + "/children"};
  kernel_bench bench_{host_};
  std::unique_ptr<runner> confined_ = make_host_runner(host_, runner_options());
  std::unique_ptr<runner> free_ = make_host_runner(host_, without_filters());
};

// The child ends at once, so that the attack leaves nothing when it works.
const std::string forked = " if (p == 0) call(__NR_exit, 0); out[0] = p > 0;";

TEST_F(runner_calls, fork_ends_the_process_and_is_named) { ends("long p = call(__NR_fork);" + forked, "fork"); }
TEST_F(runner_calls, a_raw_clone_of_a_process_ends_it) { ends("long p = call(__NR_clone, 17);" + forked, "clone"); }
TEST_F(runner_calls, vfork_ends_it) {
  // In the kernel's own function the child would return over the parent's frame.
  ends("long p = call(__NR_clone, 0x4000 | 17);" + forked, "clone");
}

TEST_F(runner_calls, clone3_is_not_there) {
  fails("struct { unsigned long words[11]; } how = {}; how.words[4] = 17; long p = call(435, (long)&how, 64);" +
        forked);
}

TEST_F(runner_calls, a_program_cannot_be_executed) {
  ends("out[0] = call(__NR_execve, (long)\"/nowhere\", 0, 0) == -2;", "execve");
}

TEST_F(runner_calls, no_socket_is_opened) { ends("out[0] = call(__NR_socket, 2, 1, 0) >= 0;", "socket"); }
TEST_F(runner_calls, no_other_process_gets_a_signal) { ends("out[0] = call(__NR_kill, -1, 0) <= 0;", "kill"); }
TEST_F(runner_calls, no_process_is_traced) {
  ends("out[0] = call(__NR_ptrace, 16, call(__NR_getpid), 0, 0) == -1;", "ptrace");
}
TEST_F(runner_calls, no_memory_of_another_is_read) {
  ends("out[0] = call(__NR_process_vm_readv, call(__NR_getpid), 0, 0, 0, 0) <= 0;", "process_vm_readv");
}
TEST_F(runner_calls, no_namespace_is_made) { ends("out[0] = call(__NR_unshare, 0x10000000) == 0;", "unshare"); }
TEST_F(runner_calls, no_file_is_made_in_memory) {
  ends("out[0] = call(__NR_memfd_create, (long)\"x\", 0) >= 0;", "memfd_create");
}
TEST_F(runner_calls, the_handler_of_refused_calls_cannot_be_replaced) {
  ends("long action[4] = {}; out[0] = call(__NR_rt_sigaction, 31, (long)action, 0, 8) == 0;", "rt_sigaction");
}
TEST_F(runner_calls, no_further_filter_is_installed) {
  ends("out[0] = call(__NR_seccomp, 2, 0, (long)in) <= 0;", "seccomp");
}

TEST_F(runner_calls, blocking_the_signal_of_a_refused_call_helps_nothing) {
  auto caught = confined(
      "unsigned long all = ~0ul; call(__NR_rt_sigprocmask, 0, (long)&all, 0, 8); call(__NR_fork); out[0] = 1;");
  EXPECT_EQ(caught.report.end, batch_end::crashed);
  EXPECT_EQ(caught.report.status, SIGSYS);
}

TEST_F(runner_calls, calls_of_the_32_bit_convention_end_it) {
  // Number 2 means fork there and open here.
  auto caught = confined("long r; asm volatile(\"int $0x80\" : \"=a\"(r) : \"a\"(20) : \"memory\"); out[0] = r > 0;");
  EXPECT_EQ(caught.report.end, batch_end::crashed);
  EXPECT_TRUE(caught.report.status == SIGSYS || caught.report.status == SIGSEGV) << caught.report.status;
}

TEST_F(runner_calls, no_file_is_read) {
  fails("out[0] = call(__NR_openat, -100, (long)\"/usr/lib\", 0, 0) >= 0;");
  fails("out[0] = call(__NR_access, (long)\"/usr/lib\", 0) == 0;");
}

TEST_F(runner_calls, no_limit_is_raised_and_no_cpu_chosen) {
  fails(
      "unsigned long limit[2]; out[0] = call(__NR_prlimit64, 0, 7, 0, (long)limit) == 0 && "
      "call(__NR_prlimit64, 0, 7, (long)limit, 0) == 0;");
  fails(
      "unsigned long mask[16]; long got = call(__NR_sched_getaffinity, 0, 128, (long)mask); "
      "out[0] = call(__NR_sched_setaffinity, 0, got, (long)mask) == 0;");
}

TEST_F(runner_calls, threads_of_openmp_work) {
  compile_request request;
  auto options = gcc_options();
  options.base_flags.push_back("-fopenmp");
  auto gcc = make_cpp_compiler(host_, options, scratch_.path() + "/openmp");
  ASSERT_TRUE(gcc);
  request.source =
      "extern \"C\" __attribute__((visibility(\"default\"))) void kope_entry(const void* const*, void* const* outs, "
      "const long*) {\n  float* out = (float*)outs[0]; float sum = 0;\n"
      "#pragma omp parallel for num_threads(4) schedule(dynamic) reduction(+ : sum)\n"
      "  for (int i = 0; i < 1000; ++i) sum += i;\n  out[0] = sum; }\n";
  std::promise<result<build>> promise;
  ASSERT_TRUE((*gcc)->compile(request, [&](result<build> b) { promise.set_value(std::move(b)); }));
  auto built = promise.get_future().get();
  ASSERT_TRUE(built && built->read()->getSucceeded());
  auto view = built->read();
  auto bytes = view->getArtifact().asChars();
  auto end = bench_.run(*confined_, std::string(bytes.begin(), bytes.size()));
  ASSERT_EQ(end.report.end, batch_end::done) << end.error << end.words << end.report.refused_call;
  EXPECT_EQ(end.out[0], 499500);
}

TEST_F(runner_calls, threads_are_bounded_also_where_we_are_root) {
  auto options = runner_options();
  options.screened = false;  // pthread_create would not pass
  auto end = bench_.run(*make_host_runner(host_, options),
                        bench_.artifact("int made = 0; pthread_t t; while (made < 300 && "
                                        "pthread_create(&t, 0, wait, 0) == 0) ++made; out[0] = made;",
                                        "#include <pthread.h>\n#include <unistd.h>\n"
                                        "void* wait(void* p) { for (;;) usleep(100000); }\n"));
  ASSERT_EQ(end.report.end, batch_end::done) << end.error << end.words;
  EXPECT_GE(end.out[0], 2);
  EXPECT_LE(end.out[0], 64);
}

TEST_F(runner_calls, a_kernel_that_blocks_every_signal_ends_at_its_deadline) {
  auto code = bench_.artifact(
      "unsigned long all = ~0ul; call(__NR_rt_sigprocmask, 0, (long)&all, 0, 8); for (volatile int i = 0;; i = i + "
      "1);");
  EXPECT_EQ(bench_.run(*confined_, code, 0.3).report.end, batch_end::timed_out);
  EXPECT_EQ(host_.counts().running, 0u);
}

TEST_F(runner_calls, a_refused_allocation_is_told_from_a_crash) {
  const std::string writes = "char* p = (char*)malloc(size); *(volatile char*)p = 1; out[0] = 1;";
  auto all = [&](const char* size) {
    return bench_.run(*confined_, bench_.artifact(std::string("unsigned long size = ") + size + "; " + writes,
                                                  "#include <stdlib.h>\n"));
  };
  auto large = all("8ul << 30");
  EXPECT_EQ(large.report.end, batch_end::crashed);
  EXPECT_TRUE(large.report.refused_memory);
  auto small = all("1000");
  EXPECT_EQ(small.report.end, batch_end::done);
  auto other = confined("*(volatile char*)8 = 1;");
  EXPECT_EQ(other.report.end, batch_end::crashed);
  EXPECT_FALSE(other.report.refused_memory) << "a null pointer is no lack of memory";
}

}  // namespace
}  // namespace kope
