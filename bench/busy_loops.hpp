// Neighbours on request: one thread a CPU that never sleeps, as another program's would not. They start with the object
// and end with it. One object at a time.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace kope::bench {

class busy_loops {
public:
  explicit busy_loops(const std::vector<int>& cpus);
  ~busy_loops();
  busy_loops(const busy_loops&) = delete;
  busy_loops& operator=(const busy_loops&) = delete;

private:
  std::atomic<bool> ending_ = false;
  std::vector<std::thread> threads_;  // one a CPU
};

}  // namespace kope::bench
