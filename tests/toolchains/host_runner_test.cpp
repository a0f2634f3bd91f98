#include "toolchains/host_runner.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <numeric>
#include <thread>

#include "tests/toolchains/scratch_directory.hpp"
#include "tests/toolchains/toolchain_test_options.hpp"
#include "toolchains/cpp_compiler.hpp"

namespace kope {
namespace {

size_t open_descriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// One compiler for all: artifacts are kept by their source.
class host_runner_test : public testing::Test {
protected:
  // The body sees in, out, n (floats in the one input and the one output).
  std::string artifact(const std::string& body, const std::string& before = "") {
    compile_request request;
    request.source = before +
                     "\nextern \"C\" __attribute__((visibility(\"default\"))) void kope_entry(const void* const* ins, "
                     "void* const* outs, const long* sizes) {\n  const float* in = (const float*)ins[0]; float* out = "
                     "(float*)outs[0]; long n = sizes[0]; " +
                     body + "\n}\n";
    static std::map<std::string, std::string> made;
    auto found = made.find(request.source);
    if (found != made.end()) return found->second;
    auto gcc = make_cpp_compiler(host_, gcc_options(), scratch_.path() + "/compile");
    std::promise<result<build>> promise;
    auto started = (*gcc)->compile(request, [&](result<build> b) { promise.set_value(std::move(b)); });
    auto built = promise.get_future().get();
    EXPECT_TRUE(built && built->read()->getSucceeded()) << (built ? built->read()->getDiagnostics().cStr() : "");
    auto bytes = built->read()->getArtifact().asChars();
    return made[request.source] = std::string(bytes.begin(), bytes.size());
  }

  result<std::unique_ptr<runner_session>> open(const std::string& artifact, size_t floats = 1000, size_t slots = 4,
                                               placement place = placement::end_aligned, double start_seconds = 5,
                                               runner_session* memory_of = nullptr) {
    session_request request;
    request.artifact = std::as_bytes(std::span(artifact));
    request.layout.input_bytes = {floats * 4};
    request.layout.output_bytes = {floats * 4};
    request.layout.sizes = {static_cast<int64_t>(floats)};
    request.layout.slots = slots;
    request.place = place;
    request.start_seconds_max = start_seconds;
    request.memory_of = memory_of;
    return runner_->open(request);
  }

  static std::span<float> floats(std::span<std::byte> bytes) {
    return {reinterpret_cast<float*>(bytes.data()), bytes.size() / 4};
  }

  std::vector<uint32_t> all(size_t slots) {
    std::vector<uint32_t> list(slots);
    std::iota(list.begin(), list.end(), 0u);
    return list;
  }

  scratch_directory scratch_;
  process_host host_{scratch_.path() + "/children"};
  // The screen would refuse half of these kernels; here is what the process does with them.
  static host_runner_options unscreened() {
    auto options = runner_options();
    options.screened = false;
    return options;
  }
  // For kernels that look for the shared page in the list of their mappings: in their own root and with their filters
  // on they could not.
  void let_kernels_read_proc() {
    sandbox_defences open_to_proc;
    open_to_proc.private_root = open_to_proc.landlock = false;
    open_host_ =
        std::make_unique<process_host>(scratch_.path() + "/open", process_isolation::strongest_allowed, open_to_proc);
    auto options = unscreened();
    options.confined = false;
    options.weakest = sandbox_level::process_group;
    runner_ = make_host_runner(*open_host_, options);
  }
  std::unique_ptr<process_host> open_host_;
  std::unique_ptr<runner> runner_ = make_host_runner(host_, unscreened());
};

const std::string twice = "for (long i = 0; i < n; ++i) out[i] = 2 * in[i];";
constexpr placement placements[] = {placement::end_aligned, placement::start_aligned, placement::cache_aligned};

TEST_F(host_runner_test, computes_each_slot_from_its_own_input_at_every_placement) {
  for (auto place : placements) {
    for (size_t count : {1, 7, 1000, 1024, 2048}) {
      auto session = open(artifact(twice), count, 5, place);
      ASSERT_TRUE(session) << session.failure().what;
      for (int batch = 0; batch < 3; ++batch) {
        for (size_t slot = 0; slot < 5; ++slot)
          for (size_t i = 0; i < count; ++i) {
            floats((*session)->input(slot, 0))[i] = static_cast<float>(slot * 10000 + i + static_cast<size_t>(batch));
            floats((*session)->output(slot, 0))[i] = -1;
          }
        std::vector<uint32_t> order{3, 1, 4, 0};
        auto report = (*session)->call(order, 5);
        ASSERT_TRUE(report);
        ASSERT_EQ(report->end, batch_end::done);
        EXPECT_GT(report->seconds, 0);
        for (size_t slot = 0; slot < 5; ++slot)
          for (size_t i = 0; i < count; ++i) {
            float want = slot == 2 ? -1 : 2 * floats((*session)->input(slot, 0))[i];
            ASSERT_EQ(floats((*session)->output(slot, 0))[i], want) << "slot " << slot << ", not called: 2";
          }
      }
    }
  }
}

TEST_F(host_runner_test, aligns_tensors_as_the_placement_says) {
  auto address = artifact("*(unsigned long*)out = (unsigned long)in; ((unsigned long*)out)[1] = (unsigned long)out;");
  for (auto place : placements) {
    auto session = open(address, 10, 3, place);
    ASSERT_TRUE(session);
    ASSERT_TRUE((*session)->call(all(3), 5));
    for (size_t slot = 0; slot < 3; ++slot) {
      for (int which = 0; which < 2; ++which) {
        size_t at = 0;
        memcpy(&at, (*session)->output(slot, 0).data() + 8 * which, 8);
        if (place == placement::end_aligned) {
          EXPECT_EQ((at + 40) % 4096, 0u);
        }
        if (place == placement::start_aligned) {
          EXPECT_EQ(at % 4096, 0u);
        }
        if (place == placement::cache_aligned) {
          EXPECT_TRUE(at % 64 == 0 && at % 4096 != 0);
        }
      }
    }
  }
}

TEST_F(host_runner_test, lets_a_session_work_on_the_memory_of_another_which_is_cleared_first) {
  auto code = artifact(twice);
  auto first = open(code);
  ASSERT_TRUE(first) << first.failure().what;
  for (float& value : floats((*first)->input(2, 0))) value = 21;
  std::vector<uint32_t> slot{2};
  ASSERT_EQ((*first)->call(slot, 5)->end, batch_end::done);
  EXPECT_EQ(floats((*first)->output(2, 0))[0], 42);
  auto second = open(code, 1000, 4, placement::end_aligned, 5, first->get());
  ASSERT_TRUE(second) << second.failure().what;
  EXPECT_EQ((*first)->input(2, 0).data(), (*second)->input(2, 0).data());
  EXPECT_EQ((*first)->output(2, 0).data(), (*second)->output(2, 0).data());
  EXPECT_EQ(floats((*second)->output(2, 0))[0], 0) << "an answer of the first";
  EXPECT_EQ(floats((*second)->input(2, 0))[0], 0);
  first->reset();  // the memory belongs to both
  for (float& value : floats((*second)->input(2, 0))) value = 4;
  ASSERT_EQ((*second)->call(slot, 5)->end, batch_end::done);
  EXPECT_EQ(floats((*second)->output(2, 0))[999], 8);
}

TEST_F(host_runner_test, refuses_to_share_memory_that_would_lie_elsewhere) {
  auto code = artifact(twice);
  auto first = open(code);
  ASSERT_TRUE(first) << first.failure().what;
  auto larger = open(code, 2000, 4, placement::end_aligned, 5, first->get());
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.failure().code, errc::invalid_input);
  EXPECT_FALSE(open(code, 1000, 4, placement::start_aligned, 5, first->get()));
}

TEST_F(host_runner_test, reports_a_crash_and_is_over_then) {
  auto session = open(artifact("__builtin_trap();"));
  ASSERT_TRUE(session) << session.failure().what;
  auto report = (*session)->call(all(1), 5);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->end, batch_end::crashed);
  EXPECT_EQ(report->status, SIGILL);
  auto after = (*session)->call(all(1), 5);
  ASSERT_FALSE(after);
  EXPECT_EQ(after.failure().code, errc::not_found);
}

TEST_F(host_runner_test, sees_an_exit_at_once_and_keeps_the_last_words) {
  auto session = open(artifact("puts(\"good bye\"); exit(0);", "#include <stdio.h>\n#include <stdlib.h>\n"));
  ASSERT_TRUE(session);
  EXPECT_EQ((*session)->last_words(), "");
  auto report = (*session)->call(all(1), 30);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->end, batch_end::exited);
  EXPECT_EQ(report->status, 0);
  EXPECT_LT(report->seconds, 2);
  EXPECT_EQ((*session)->last_words(), "good bye\n");
}

TEST_F(host_runner_test, calls_an_exit_or_a_crash_in_a_constructor_invalid_input) {
  auto leaves = open(artifact(twice, "#include <unistd.h>\n__attribute__((constructor)) void c() { _exit(0); }"));
  ASSERT_FALSE(leaves);
  EXPECT_EQ(leaves.failure().code, errc::invalid_input);
  EXPECT_NE(leaves.failure().what.find("status 0"), std::string::npos) << leaves.failure().what;
  auto crashes = open(artifact(twice, "__attribute__((constructor)) void c() { *(volatile int*)8 = 1; }"));
  ASSERT_FALSE(crashes);
  EXPECT_EQ(crashes.failure().code, errc::invalid_input);
  EXPECT_NE(crashes.failure().what.find("SIGSEGV"), std::string::npos) << crashes.failure().what;
  auto hangs = open(artifact(twice, "__attribute__((constructor)) void c() { for (volatile int i = 0;; i = i + 1); }"),
                    10, 1, placement::end_aligned, 0.2);
  ASSERT_FALSE(hangs);
  EXPECT_EQ(hangs.failure().code, errc::invalid_input);
  EXPECT_EQ(host_.counts().running, 0u);
}

TEST_F(host_runner_test, ends_an_endless_loop_at_its_deadline) {
  auto session = open(artifact("for (volatile int i = 0;; i = i + 1);"));
  ASSERT_TRUE(session);
  auto begun = std::chrono::steady_clock::now();
  auto report = (*session)->call(all(1), 0.3);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->end, batch_end::timed_out);
  EXPECT_GE(seconds, 0.3);
  EXPECT_LT(seconds, 4) << "far above what a kill takes, even on a machine that builds something";
  EXPECT_GT(report->cpu_seconds, 0.01) << "it worked, so the timeout is the candidate's";
  EXPECT_EQ(host_.counts().running, 0u);
}

TEST_F(host_runner_test, catches_an_over_run_at_the_end_and_an_under_run_at_the_start) {
  auto over_write = artifact("out[n] = 1;");
  auto over_read = artifact("out[0] = ((volatile const float*)in)[n];");
  auto under_write = artifact("out[-1] = 1;");
  auto under_read = artifact("out[0] = ((volatile const float*)in)[-1];");
  auto end_of = [&](const std::string& code, placement place) {
    auto session = open(code, 1000, 4, place);
    EXPECT_TRUE(session);
    auto report = (*session)->call(all(4), 5);
    EXPECT_TRUE(report);
    if (report->end == batch_end::crashed) {
      EXPECT_EQ(report->status, SIGSEGV);
    }
    return report->end;
  };
  for (const auto& over : {over_write, over_read}) {
    EXPECT_EQ(end_of(over, placement::end_aligned), batch_end::crashed);
    EXPECT_EQ(end_of(over, placement::start_aligned), batch_end::done) << "1000 floats leave slack in a page";
  }
  for (const auto& under : {under_write, under_read}) {
    EXPECT_EQ(end_of(under, placement::start_aligned), batch_end::crashed);
    EXPECT_EQ(end_of(under, placement::end_aligned), batch_end::done);
  }
  // A whole page further faults at every placement.
  EXPECT_EQ(end_of(artifact("out[n + 2048] = 1;"), placement::cache_aligned), batch_end::crashed);
}

TEST_F(host_runner_test, does_not_let_inputs_be_written) {
  std::string mprotect = "#include <sys/mman.h>\n";
  for (const auto& code :
       {artifact("((float*)in)[0] = 1;"),
        artifact("mprotect((void*)((unsigned long)in & ~4095ul), 4096, PROT_READ | PROT_WRITE); ((float*)in)[0] = 1;",
                 mprotect)}) {
    auto session = open(code);
    ASSERT_TRUE(session);
    floats((*session)->input(0, 0))[0] = 5;
    auto report = (*session)->call(all(1), 5);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->end, batch_end::crashed);
    EXPECT_EQ(floats((*session)->input(0, 0))[0], 5);
  }
}

TEST_F(host_runner_test, freezes_threads_that_a_kernel_leaves_running) {
  auto session =
      open(artifact("static bool started; if (!started) { started = true; pthread_t t; pthread_create(&t, 0, "
                    "spin, (void*)out); }",
                    "#include <pthread.h>\nvoid* spin(void* p) { for (;;) ++*(volatile unsigned*)p; }"));
  ASSERT_TRUE(session);
  for (int batch = 0; batch < 20; ++batch) {
    auto report = (*session)->call(all(1), 5);
    ASSERT_TRUE(report);
    ASSERT_EQ(report->end, batch_end::done);
    auto* count = reinterpret_cast<volatile unsigned*>((*session)->output(0, 0).data());
    unsigned seen = *count;
    for (int look = 0; look < 100'000; ++look) ASSERT_EQ(*count, seen) << "it ran on after the batch";
  }
}

TEST_F(host_runner_test, fails_a_huge_allocation) {
  auto session = open(artifact("char* p = (char*)malloc(8ul << 30); out[0] = p == 0; if (p) memset(p, 1, 8ul << 30);",
                               "#include <stdlib.h>\n#include <string.h>\n"));
  ASSERT_TRUE(session);
  auto report = (*session)->call(all(1), 5);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->end, batch_end::done);
  EXPECT_EQ(floats((*session)->output(0, 0))[0], 1);
}

TEST_F(host_runner_test, calls_garbage_and_a_missing_entry_invalid_input) {
  auto garbage = open(std::string(1000, 'x'));
  ASSERT_FALSE(garbage);
  EXPECT_EQ(garbage.failure().code, errc::invalid_input);
  EXPECT_NE(garbage.failure().what.find("cannot be loaded"), std::string::npos) << garbage.failure().what;
  std::string cut = artifact(twice).substr(0, 700);
  EXPECT_EQ(open(cut).failure().code, errc::invalid_input);
  std::string renamed = artifact(twice);
  for (size_t at = 0; (at = renamed.find("kope_entry", at)) != std::string::npos;) renamed[at] = 'x';
  auto nameless = open(renamed);
  ASSERT_FALSE(nameless);
  EXPECT_NE(nameless.failure().what.find("kope_entry"), std::string::npos) << nameless.failure().what;
}

TEST_F(host_runner_test, keeps_descriptors_and_mappings_flat_over_many_sessions) {
  auto code = artifact(twice);
  auto maps = [] {
    std::ifstream file("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  auto round = [&] {
    auto session = open(code, 16, 2);
    ASSERT_TRUE(session) << session.failure().what;
    ASSERT_TRUE((*session)->call(all(2), 5));
  };
  for (int i = 0; i < 5; ++i) round();
  size_t before = open_descriptors();
  auto mappings = maps();
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_LE(maps(), mappings + 5);
  EXPECT_EQ(host_.counts().running, 0u);
}

TEST_F(host_runner_test, starts_every_batch_with_default_arithmetic) {
  // Flush-to-zero, set by the kernel itself, is gone in the next batch.
  auto session =
      open(artifact("out[0] = in[0] * 0.5f; _mm_setcsr(_mm_getcsr() | 0x8040);", "#include <immintrin.h>\n"));
  ASSERT_TRUE(session);
  floats((*session)->input(0, 0))[0] = 1e-38f;
  for (int batch = 0; batch < 2; ++batch) {
    floats((*session)->output(0, 0))[0] = -1;
    ASSERT_TRUE((*session)->call(all(1), 5));
    EXPECT_EQ(floats((*session)->output(0, 0))[0], 0.5e-38f);
  }
}

TEST_F(host_runner_test, is_not_fooled_by_a_kernel_that_writes_the_shared_page) {
  // Finds the page by its name and fills it: the parent keeps its own copy of all that it relies on.
  let_kernels_read_proc();
  auto session = open(artifact(
      "FILE* maps = fopen(\"/proc/self/maps\", \"r\"); char line[300]; while (maps && fgets(line, 300, maps)) { "
      "unsigned long from; if (strstr(line, \"kope-control\") && sscanf(line, \"%lx\", &from) == 1) "
      "{ out[0] = 1; memset((char*)from, 0xee, 4096); } }",
      "#include <stdio.h>\n#include <string.h>\n"));
  ASSERT_TRUE(session);
  auto report = (*session)->call(all(4), 0.5);
  ASSERT_TRUE(report);
  EXPECT_EQ(floats((*session)->output(0, 0))[0], 1) << "it found the page";
  EXPECT_EQ((*session)->input(3, 0).size(), 4000u);
  EXPECT_EQ((*session)->output(3, 0).size(), 4000u);
  floats((*session)->output(3, 0))[999] = 1;
}

TEST_F(host_runner_test, refuses_what_cannot_be) {
  auto code = artifact(twice);
  EXPECT_EQ(open(code, 1000, 0).failure().code, errc::invalid_input);
  EXPECT_EQ(open(code, 1, calls_max + 1).failure().code, errc::invalid_input);
  EXPECT_EQ(open(code, slot_bytes_max / 4, 1).failure().code, errc::invalid_input) << "input and output together";
  EXPECT_EQ(open("", 1000, 1).failure().code, errc::invalid_input);
  auto session = open(code, 10, 2);
  ASSERT_TRUE(session);
  EXPECT_EQ((*session)->call(std::vector<uint32_t>{2}, 1).failure().code, errc::invalid_input);
  EXPECT_EQ((*session)->call(std::vector<uint32_t>{}, 1).failure().code, errc::invalid_input);
  EXPECT_TRUE((*session)->call(std::vector<uint32_t>(calls_max, 1), 5));
  auto options = unscreened();
  options.program = "/nowhere/kope-runner";
  runner_ = make_host_runner(host_, options);
  auto missing = open(code);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.failure().code, errc::tool_missing);
  EXPECT_NE(missing.failure().what.find("/nowhere/kope-runner"), std::string::npos);
}

TEST_F(host_runner_test, pins_a_session_and_moves_it) {
  session_request request;
  auto code = artifact("out[0] = sched_getcpu();", "#include <sched.h>\n");
  request.artifact = std::as_bytes(std::span(code));
  request.layout = {{4}, {4}, {1}, 1};
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  request.cpus = {cpus.back()};
  auto session = runner_->open(request);
  ASSERT_TRUE(session);
  ASSERT_TRUE((*session)->call(all(1), 5));
  EXPECT_EQ(floats((*session)->output(0, 0))[0], cpus.back());
  ASSERT_TRUE((*session)->move_to(std::vector<int>{cpus.front()}));
  ASSERT_TRUE((*session)->call(all(1), 5));
  EXPECT_EQ(floats((*session)->output(0, 0))[0], cpus.front());
}

TEST_F(host_runner_test, runs_two_sessions_side_by_side) {
  auto doubles = open(artifact(twice), 100, 2);
  auto triples = open(artifact("for (long i = 0; i < n; ++i) out[i] = 3 * in[i];"), 100, 2);
  ASSERT_TRUE(doubles && triples);
  for (int batch = 0; batch < 50; ++batch) {
    floats((*doubles)->input(1, 0))[99] = floats((*triples)->input(1, 0))[99] = static_cast<float>(batch);
    ASSERT_TRUE((*doubles)->call(all(2), 5));
    ASSERT_TRUE((*triples)->call(all(2), 5));
    EXPECT_EQ(floats((*doubles)->output(1, 0))[99], 2.f * static_cast<float>(batch));
    EXPECT_EQ(floats((*triples)->output(1, 0))[99], 3.f * static_cast<float>(batch));
  }
}

}  // namespace
}  // namespace kope
