// The real compiler and runner under one bank, and candidates compiled for it. Artifacts are kept by source, because a
// compilation takes longer than everything else here.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/evaluation/bank_registry.hpp"
#include "config/toolchain_files.hpp"
#include "tests/evaluation/small_tasks.hpp"
#include "tests/toolchains/scratch_directory.hpp"
#include "toolchains/cpp_compiler.hpp"
#include "toolchains/host_runner.hpp"

namespace kope::testing {

class real_bench {
public:
  explicit real_bench(task of) : of_(std::move(of)) {
    auto options = load_toolchain(KOPE_SOURCE_DIRECTORY "/config/toolchains", "cpp-gcc");
    EXPECT_TRUE(options.ok());
    auto made = make_cpp_compiler(host_, *options, scratch_.path() + "/compile");
    EXPECT_TRUE(made.ok());
    compiler_ = std::move(*made);
    host_runner_options runner_options;
    runner_options.program = KOPE_RUNNER_PROGRAM;
    runner_ = make_host_runner(host_, runner_options);
    banks_ = std::make_unique<bank_registry>(std::vector<task>{of_}, bench_tools{compiler_.get(), runner_.get(), {0}},
                                             20240607);
    auto bank = banks_->bank(of_.read()->getName().cStr());
    EXPECT_TRUE(bank.ok()) << (bank ? "" : bank.failure().what);
    if (bank) bank_ = *bank;
  }

  case_bank& bank() { return *bank_; }
  runner& with() { return *runner_; }

  std::string artifact(const std::string& source, const std::vector<std::string>& flags = {}) {
    auto& kept = artifacts_[source];
    if (!kept.empty()) return kept;
    auto built = compile_candidate(*compiler_, *of_.read(), source, flags);
    EXPECT_TRUE(built.ok()) << (built ? "" : built.failure().what);
    auto view = built->read();
    EXPECT_TRUE(view->getSucceeded()) << view->getDiagnostics().cStr();
    auto bytes = view->getArtifact().asChars();
    return kept = std::string(bytes.begin(), bytes.size());
  }

private:
  scratch_directory scratch_;
  process_host host_{scratch_.path() + "/children"};
  task of_;
  std::unique_ptr<compiler> compiler_;
  std::unique_ptr<runner> runner_;
  std::unique_ptr<bank_registry> banks_;
  std::shared_ptr<case_bank> bank_;
  std::map<std::string, std::string> artifacts_;
};

/// A candidate for the matrix product, i-p-j so that it is quick; `after` runs after the product, `before` before the
/// function.
inline std::string product_source(const std::string& after = "", const std::string& before = "",
                                  const std::string& product = "float s = a[i * k + p] * b[p * n + j];") {
  return before +
         "\nextern \"C\" void kernel(const float* __restrict a, const float* __restrict b, float* __restrict c,\n"
         "                       int64_t m, int64_t n, int64_t k) {\n"
         "  for (int64_t i = 0; i < m; ++i) {\n"
         "    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;\n"
         "    for (int64_t p = 0; p < k; ++p)\n"
         "      for (int64_t j = 0; j < n; ++j) { " +
         product + " c[i * n + j] += s; }\n  }\n  " + after + "\n}\n";
}

}  // namespace kope::testing
