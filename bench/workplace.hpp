// What every suite measures with: the program's own tool box and a graph, in a directory that is removed at the end
// unless it was named. Main thread; no actor runs while something is compared.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/evaluation/paired_timing.hpp"
#include "config/run_options.hpp"
#include "daemon/tool_box.hpp"
#include "storage/graph_store.hpp"

namespace kope::bench {

struct bench_request {
  uint32_t attempts = 40;          ///< of each exploration
  double seconds = 120;            ///< of each exploration
  uint32_t seed = 0;               ///< of the search; 0: drawn
  uint32_t comparisons = 100;      ///< of each pair of kernels
  bool busy = false;               ///< timing claims beside a busy loop on each CPU
  std::filesystem::path data_dir;  ///< empty: a temporary one
  std::vector<std::string> tasks;  ///< of the suite of operators; empty: all
};

/// Two artifacts of one task.
struct contest {
  std::string_view old_artifact;
  std::string_view new_artifact;
  std::string against;    ///< name of the old one
  std::vector<int> cpus;  ///< empty: the one that is quickest at that moment
  bool library = false;   ///< one of them is linked with a library: both get the library_runner()
};

class workplace {
public:
  /// With the tasks of all suites. errc::busy when somebody else writes the named directory's graph.
  static result<std::unique_ptr<workplace>> open(const bench_request& request);
  ~workplace();

  const bench_request& request() const { return request_; }
  const run_options& options() const { return options_; }
  tool_box& tools() { return *tools_; }
  const std::shared_ptr<graph_store>& store() const { return store_; }
  const task& task_of(std::string_view name) const;
  /// Without screen and without the runner's own filters: libraries start threads, read files and write code.
  runner& library_runner() { return *library_runner_; }
  /// Measured at the first call, thoroughly: half a minute. The next explorations know them too.
  result<unit> measure_limits();
  const known_limits& limits() const { return *tools_->limits; }  ///< after measure_limits()

  /// Old against new, while no other kope of this machine measures. errc::cancelled after a signal.
  result<timing_result> compare(case_bank& bank, const concrete_case& timed, const contest& between);

  std::string device_line() const;
  std::string compiler_line() const;

private:
  workplace() = default;

  bench_request request_;
  std::filesystem::path temporary_;  // destroyed after everything that lies in it
  run_options options_;
  std::vector<task> tasks_;
  std::unique_ptr<tool_box> tools_;
  std::unique_ptr<runner> library_runner_;  // uses the box's processes
  std::shared_ptr<graph_store> store_;
};

/// Holds the machine's measuring lock; waits for it as long as it takes.
class measuring_alone {
public:
  explicit measuring_alone(measure_lock& lock);
  ~measuring_alone() { lock_.unlock(); }
  measuring_alone(const measuring_alone&) = delete;
  measuring_alone& operator=(const measuring_alone&) = delete;

private:
  measure_lock& lock_;
};

/// Other programs disturb: the load average of the last minute belongs to every figure.
double load_of_last_minute();

/// A line on stderr.
void say(const std::string& line);

std::string_view bytes_of(const build& artifact);

}  // namespace kope::bench
