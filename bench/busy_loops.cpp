#include "bench/busy_loops.hpp"

#include <sched.h>

namespace kope::bench {

busy_loops::busy_loops(const std::vector<int>& cpus) {
  for (int cpu : cpus)
    threads_.emplace_back([this, cpu] {
      cpu_set_t only;
      CPU_ZERO(&only);
      CPU_SET(cpu, &only);
      // Where it may not be pinned the scheduler spreads them: as many loops as CPUs all the same.
      sched_setaffinity(0, sizeof only, &only);
      while (!ending_.load(std::memory_order_relaxed)) {
      }
    });
}

busy_loops::~busy_loops() {
  ending_ = true;
  for (auto& each : threads_) each.join();
}

}  // namespace kope::bench
