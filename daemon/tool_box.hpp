// Everything below the actors that a command needs to judge sources: processes, compiler, runner, tasks, device.
// Made once by a command, destroyed after the actor system.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "actors/evaluation/bank_registry.hpp"
#include "actors/evaluation/known_limits.hpp"
#include "config/run_options.hpp"
#include "messages/actors.hpp"
#include "messages/result.hpp"
#include "toolchains/compiler.hpp"
#include "toolchains/device_thread.hpp"
#include "toolchains/measure_lock.hpp"
#include "toolchains/process.hpp"
#include "toolchains/runner.hpp"

namespace kope {

struct tool_box {
  ~tool_box() {
    if (threads) threads->stop();  // jobs use the other tools, and may hold the last reference to their own threads
  }

  std::filesystem::path share;  ///< tasks/ and config/
  std::filesystem::path data;   ///< graph/, scratch/, quarantine/
  std::vector<int> cpus;
  target_record target;  ///< with the timing mode that the options name
  target_record device;  ///< the same hardware with the usual timing mode: limits are on record for this one
  toolchain_record toolchain;

  // in order of use: the last is destroyed first
  std::unique_ptr<process_host> processes;
  std::shared_ptr<compiler> tool;
  std::shared_ptr<runner> with_runner;
  std::unique_ptr<measure_lock> measuring;
  std::shared_ptr<bank_registry> banks;
  std::shared_ptr<known_limits> limits;  ///< null until know_limits(): nothing is suspect
  std::shared_ptr<device_threads> threads;
};

/// Also ends what an earlier program that was killed left running. `seed`: of input sets and drawn shapes.
result<std::unique_ptr<tool_box>> open_tool_box(const run_options& options, std::vector<task> tasks, uint64_t seed);

/// Tasks of the share directory; a name with a slash is a task folder.
result<task> task_named(std::string_view name);

}  // namespace kope
