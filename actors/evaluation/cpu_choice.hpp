// Where timing runs: CPUs that look alike are not alike at a given moment, and the parent must not share one with what
// it times. Linux only. Device threads.
#pragma once

#include <vector>

namespace kope {

/// The CPU on which a fixed piece of work is quickest right now (about 10 ms a CPU). `cpus` is not empty. Moves the
/// calling thread while probing and puts it back.
int quickest_cpu(const std::vector<int>& cpus);

/// Keeps the calling thread off a CPU for as long as it lives, if it may run on any other; then restores its CPUs.
class stay_off {
public:
  explicit stay_off(int cpu);
  ~stay_off();
  stay_off(const stay_off&) = delete;
  stay_off& operator=(const stay_off&) = delete;

private:
  std::vector<int> before_;  // empty: nothing was changed
};

}  // namespace kope
