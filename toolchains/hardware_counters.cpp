#include "toolchains/hardware_counters.hpp"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace kope {

const std::array<counted_event, counted_events>& hardware_events() {
  static constexpr std::array<counted_event, counted_events> events = {
      {{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
       {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
       {"cache misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES}}};
  return events;
}

result<hardware_counters> hardware_counters::open(pid_t process,
                                                  const std::array<counted_event, counted_events>& events) {
  hardware_counters made;
  for (size_t i = 0; i < events.size(); ++i) {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = events[i].type;
    wanted.config = events[i].config;
    wanted.inherit = 1;         // threads of the candidate
    wanted.exclude_kernel = 1;  // what an ordinary user may count
    wanted.exclude_hv = 1;
    wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    made.descriptors_[i] =
        static_cast<int>(syscall(SYS_perf_event_open, &wanted, process, -1, -1, PERF_FLAG_FD_CLOEXEC));
    if (made.descriptors_[i] >= 0) continue;
    std::string name(events[i].name);
    if (errno == EACCES || errno == EPERM)
      return error{errc::forbidden, name +
                                        " may not be counted: set kernel.perf_event_paranoid to 2 or less, and in a "
                                        "container allow perf_event_open"};
    if (errno == ENOSYS) return error{errc::not_found, "this kernel has no perf_event_open"};
    return error{errc::not_found, name + " cannot be counted (" + strerror(errno) +
                                      "): neither this CPU nor its hypervisor shows such counters"};
  }
  return made;
}

hardware_counters::~hardware_counters() {
  for (int fd : descriptors_)
    if (fd >= 0) close(fd);
}

hardware_counters::hardware_counters(hardware_counters&& other) noexcept : descriptors_(other.descriptors_) {
  other.descriptors_.fill(-1);
}

counter_values hardware_counters::read() const {
  counter_values values{};
  for (size_t i = 0; i < descriptors_.size(); ++i) {
    uint64_t got[3] = {};  // value, time enabled, time running
    if (::read(descriptors_[i], got, sizeof got) != static_cast<ssize_t>(sizeof got) || got[2] == 0) continue;
    values[i] = static_cast<double>(got[0]) * static_cast<double>(got[1]) / static_cast<double>(got[2]);
  }
  return values;
}

counters_report probe_counters() {
  auto opened = hardware_counters::open(0);  // this thread
  if (!opened) return {false, "none: " + opened.failure().what};
  std::string names;
  for (const auto& event : hardware_events()) names += (names.empty() ? "" : ", ") + std::string(event.name);
  return {true, names + " can be counted; attempts do not keep them yet"};
}

}  // namespace kope
