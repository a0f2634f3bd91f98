// The actor system of one program run: started with a store and a tool box, watched through a queue by the thread that
// talks to the user, ended in order.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "daemon/supervisor.hpp"
#include "daemon/tool_box.hpp"
#include "messages/actors.hpp"
#include "messages/result.hpp"

namespace kope {

/// What an exploration says while it runs.
struct exploration_event {
  std::variant<committed, exploration_row, std::string> what;  ///< an attempt; the end; the program cannot go on
};

struct runtime_options {
  std::shared_ptr<const given_source> given;
  std::string coder = "schedule";  ///< as supervisor_options::coder
  bool measure_winner = true;
  stage_begins begins;                                ///< empty: on the device
  std::optional<std::chrono::seconds> disk_full_max;  ///< nothing: a full disk is waited out for ever
};

class runtime {
public:
  /// Spawns all actors. The box outlives the runtime.
  runtime(tool_box& tools, std::shared_ptr<graph_store> store, runtime_options options);
  ~runtime();  ///< stop(), then waits; what does not end in time is left to the kernel
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Starts an exploration (a row without id), or resumes a stored one. Returns at once, because a full disk may hold
  /// up its creation: what could not be started comes as an event, a row without id that says why.
  void explore(const exploration_row& row);
  /// The next event, or nothing within `patience`.
  std::optional<exploration_event> wait(std::chrono::milliseconds patience);
  void cancel(exploration_id exploration);
  /// Planners write their rows and everything ends; what was running is resumed by the next start.
  void stop();

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace kope
