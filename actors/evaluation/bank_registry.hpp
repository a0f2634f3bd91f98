// The case banks of a program, one a task, made on first use: compiles the task's reference as oracle and as baseline
// and keeps the bank for verification and timing. Thread-safe; device threads only, since making a bank compiles.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "actors/evaluation/case_bank.hpp"
#include "messages/result.hpp"
#include "toolchains/compiler.hpp"
#include "toolchains/runner.hpp"

namespace kope {

/// What device threads judge with. Everything outlives them.
struct bench_tools {
  compiler* with_compiler = nullptr;
  runner* with_runner = nullptr;
  std::vector<int> cpus;                               ///< all that this program may use
  wire::TimingMode mode = wire::TimingMode::ROTATING;  ///< the target's
  uint32_t l2_bytes = 0;                               ///< the target's
  defences active = {};                                ///< all of them, except in tests
};

/// A candidate of this task, in its surrounding; on the calling thread's time, like compile_and_wait.
result<build> compile_candidate(compiler& with, wire::Task::Reader of, std::string_view source,
                                const std::vector<std::string>& flags);

class bank_registry {
public:
  /// `seed`: of input sets and drawn shapes; unknown to candidates.
  bank_registry(std::vector<task> tasks, bench_tools tools, uint64_t seed);

  const task* find_task(std::string_view name) const;  ///< nullptr when there is none
  const bench_tools& tools() const { return tools_; }

  /// errc::not_found: no such task. errc::invalid_input: its reference does not compile or does not run.
  result<std::shared_ptr<case_bank>> bank(std::string_view task_name);

private:
  result<std::shared_ptr<case_bank>> make(const task& of);

  std::vector<task> tasks_;
  bench_tools tools_;
  uint64_t seed_;
  struct slot {
    std::mutex making;  // one thread makes a bank, the others wait for it
    std::shared_ptr<case_bank> made;
  };
  std::map<std::string, slot, std::less<>> slots_;  // one a task, fixed at construction
};

}  // namespace kope
