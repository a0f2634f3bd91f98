// One runner process from its parent's side: wait for it, freeze and thaw it, read what the kernel knows of it, see its
// end. Knows nothing of slots; host_runner.cpp does. For one thread, but for what the process host calls back.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "messages/result.hpp"
#include "toolchains/hardware_counters.hpp"
#include "toolchains/process.hpp"
#include "toolchains/runner.hpp"
#include "toolchains/runner_page.hpp"
#include "toolchains/shared_memory.hpp"

namespace kope {

using runner_clock = std::chrono::steady_clock;

class runner_process {
public:
  enum class reply { done, dead, timed_out };

  /// Starts it; `control` is filled in already.
  static result<std::unique_ptr<runner_process>> start(process_host& host, const process_request& request,
                                                       shared_memory control);
  ~runner_process();  ///< kills it and waits until it is reaped
  runner_process(const runner_process&) = delete;
  runner_process& operator=(const runner_process&) = delete;

  runner_page::control& page() { return *page_; }

  /// How this thread waits. `spin`: for the first 20 ms it looks all the time, which is right only where the process
  /// cannot run on this thread's CPU. Waking a sleeping thread takes 50 to 200 us on a virtual machine, as much as
  /// kernels differ by in a batch of 3 ms.
  enum class waiting : uint8_t { sleep, spin };

  /// Until `done` holds `value`. Death is seen as soon as the host has reaped, a missed wake-up after 20 ms.
  reply wait_done(uint32_t value, runner_clock::time_point deadline, waiting how = waiting::sleep);
  /// Raises `go`, wakes the process and waits for its answer.
  reply exchange(runner_clock::time_point deadline, waiting how = waiting::sleep);

  /// False when it is dead instead.
  bool freeze();
  void thaw();

  /// Kills it if it lives; its end.
  const process_report& end();
  bool alive() const { return !ended_->flag.load(); }

  /// The kernel's books on a frozen process, since its start.
  uint64_t involuntary_switches() const;
  double cpu_seconds() const;
  /// Counters of what it does from now on, if the machine has any.
  void count();
  /// What they counted since then.
  std::optional<batch_counters> counted() const;
  /// How many system call filters it has, 0 if it could still get new privileges.
  unsigned filters() const;
  /// How many each child has from the start: a container's.
  static unsigned filters_of_this_program();

  result<unit> move_to(std::span<const int> cpus);

private:
  // Outlives the session when the host's thread is just delivering.
  struct ended {
    explicit ended(shared_memory memory) : control(std::move(memory)) {}
    shared_memory control;
    std::mutex mutex;
    std::condition_variable arrived;
    std::optional<process_report> report;
    std::atomic<bool> flag = false;
  };

  runner_process(process_host& host, std::shared_ptr<ended> shared);

  /// Number behind `name` in /proc/<pid>/status, 0 if it is not there.
  uint64_t status_number(const char* name) const;

  process_host& host_;
  std::shared_ptr<ended> ended_;
  runner_page::control* page_;
  process_id id_ = 0;
  pid_t pid_ = -1;
  int pidfd_ = -1;   // our own: the host closes its when it has reaped
  int status_ = -1;  // /proc/<pid>/status
  clockid_t cpu_clock_ = 0;
  uint32_t batch_ = 0;  // what `go` holds; the process can write there, so it is not read back
  bool frozen_ = false;
  std::optional<hardware_counters> counters_;
};

}  // namespace kope
