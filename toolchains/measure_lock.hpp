// The flock that every kope on this machine takes around a measurement, so that two of them never time at once.
// Never blocks; the kernel releases it when the program dies.
#pragma once

#include <string>

#include "messages/result.hpp"

namespace kope {

class measure_lock {
public:
  /// `path`: one file for all users of the machine, e.g. in /tmp; created with mode 0666 when absent.
  explicit measure_lock(std::string path);
  ~measure_lock();
  measure_lock(const measure_lock&) = delete;
  measure_lock& operator=(const measure_lock&) = delete;

  /// True when it is ours from here on. A lock file that cannot be opened counts as free: measuring alone is the rule,
  /// a read-only /tmp must not stop the program.
  bool try_lock();
  void unlock();

private:
  int descriptor_ = -1;
};

}  // namespace kope
