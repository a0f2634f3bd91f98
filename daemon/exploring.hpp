// What `run` and `eval` share: an exploration's specification, and following it until it ends. Main thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "daemon/runtime.hpp"
#include "daemon/tool_box.hpp"
#include "messages/actors.hpp"
#include "messages/result.hpp"

namespace kope {

struct exploration_wish {
  std::string timed_case;
  uint32_t attempts = 0;
  double seconds = 0;
  uint32_t seed = 0;
  uint32_t tickets = 0;
  std::string policy;
  std::string coder;
  bool starting_points = true;  ///< the family's own
  double stop_fraction = 0;     ///< of the device's limit; 0: never
  uint32_t plateau = 0;         ///< attempts in a row that beat nothing; 0: never
};

/// The timed case of this name or number (from 1), or the task's first. errc::not_found names those there are.
result<std::string> timed_case_of(const task& of, const std::string& name);

/// errc::invalid_input when this case cannot be timed in the target's mode.
result<unit> check_timing(const tool_box& tools, const task& of, const std::string& timed_case);

/// A row without id.
exploration_row new_row(const tool_box& tools, const task& of, const exploration_wish& wish);

/// A running exploration of the same task, target, toolchain and options, the newest one; seed 0 in the wish takes any.
result<std::optional<exploration_row>> unfinished(const graph_store& store, const exploration_row& wanted);

/// In the foreground: whoever sits before the program can make room; after this long they have not seen the line that
/// says so.
constexpr std::chrono::seconds disk_full_max{60};

struct followed {
  exploration_row last;  ///< the row at its end
  int signal = 0;        ///< it was stopped by this signal and can be resumed
  std::string fatal;     ///< the program could not go on
};

/// Waits for the end; calls back for every committed attempt and at least five times a second.
followed follow(runtime& running, const std::function<void(const committed&)>& on_attempt,
                const std::function<void(double seconds)>& on_tick);

}  // namespace kope
