// Compiles kernels and opens runner sessions for tests of what a candidate may do. Artifacts are kept by their source.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <map>
#include <memory>
#include <string>

#include "tests/toolchains/scratch_directory.hpp"
#include "tests/toolchains/toolchain_test_options.hpp"
#include "toolchains/cpp_compiler.hpp"
#include "toolchains/host_runner.hpp"

namespace kope {

/// System calls without the C library, as a candidate would make them: nothing of it shows in the artifact's imports.
inline const std::string raw_calls = R"(
#include <asm/unistd.h>
static inline long call(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  long out;
  asm volatile("syscall" : "=a"(out) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
  return out;
}
)";

class kernel_bench {
public:
  /// The compiler works under the strongest level, the kernels under `host`'s.
  explicit kernel_bench(process_host& host) : host_(host) {}

  /// The body sees in, out, n (floats in the one input and the one output).
  std::string artifact(const std::string& body, const std::string& before = raw_calls) {
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
    EXPECT_TRUE(gcc) << (gcc ? "" : gcc.failure().what);
    std::promise<result<build>> promise;
    auto started = (*gcc)->compile(request, [&](result<build> b) { promise.set_value(std::move(b)); });
    EXPECT_TRUE(started) << (started ? "" : started.failure().what);
    auto built = promise.get_future().get();
    EXPECT_TRUE(built && built->read()->getSucceeded())
        << (built ? built->read()->getDiagnostics().cStr() : built.failure().what.c_str());
    if (!built) return {};
    auto view = built->read();
    auto bytes = view->getArtifact().asChars();
    return made[request.source] = std::string(bytes.begin(), bytes.size());
  }

  struct ending {
    batch_report report;
    std::vector<float> out;
    std::string words;
    std::string error;  ///< when there was no session
    errc code = errc::internal;
  };

  /// One call of the kernel on one slot of 16 floats.
  ending run(runner& with, const std::string& artifact, double seconds_max = 10) {
    session_request request;
    request.artifact = std::as_bytes(std::span(artifact));
    request.layout = {{64}, {64}, {16}, 1};
    ending end;
    auto session = with.open(request);
    if (!session) {
      end.error = session.failure().what;
      end.code = session.failure().code;
      return end;
    }
    uint32_t slot = 0;
    auto report = (*session)->call({&slot, 1}, seconds_max);
    EXPECT_TRUE(report) << (report ? "" : report.failure().what);
    if (!report) return end;
    end.report = *report;
    auto* first = reinterpret_cast<float*>((*session)->output(0, 0).data());
    end.out.assign(first, first + 16);
    end.words = (*session)->last_words();
    return end;
  }

private:
  scratch_directory scratch_;
  process_host& host_;
};

}  // namespace kope
