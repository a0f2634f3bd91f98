// What the CPU itself counted while a process ran: cycles, instructions, cache misses. They tell why a kernel is slow,
// and rank nothing: the parent's clock does. Many virtual machines have none; then there is one sentence instead of
// numbers. Linux's perf_event_open; device threads, one at a time.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace kope {

/// One event as perf_event_open names it.
struct counted_event {
  std::string_view name;
  uint32_t type = 0;
  uint64_t config = 0;
};

constexpr size_t counted_events = 3;
using counter_values = std::array<double, counted_events>;

/// Cycles, instructions and misses of the last cache, in this order.
const std::array<counted_event, counted_events>& hardware_events();

class hardware_counters {
public:
  /// Counts for this process, its threads from now on included, in user space. errc::not_found where the hardware or
  /// the hypervisor has no such events, errc::forbidden where the system does not let us count, with what to do.
  static result<hardware_counters> open(pid_t process,
                                        const std::array<counted_event, counted_events>& events = hardware_events());
  ~hardware_counters();
  hardware_counters(hardware_counters&& other) noexcept;
  hardware_counters& operator=(hardware_counters&&) = delete;

  /// Since open(), in the order of the events. Where the CPU had to share its counters, scaled to the whole time. A
  /// stopped process's are exact.
  counter_values read() const;

private:
  hardware_counters() { descriptors_.fill(-1); }
  std::array<int, counted_events> descriptors_;
};

/// For doctor: the names of the events that can be counted, or why none can.
struct counters_report {
  bool available = false;
  std::string text;
};
counters_report probe_counters();

}  // namespace kope
