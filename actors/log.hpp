// Log lines of actors: a component, a stable event id that an operator or a test can match, and a sentence.
// spdlog stays in log.cpp. Any thread. Goes to stderr: stdout is data.
#pragma once

#include <string>
#include <string_view>

namespace kope::log {

enum class level { trace, debug, info, warn, error, off };

/// Called once by the program, before actors run.
void set_level(level lowest);
/// Text of a level as in the option log_level; false when there is none of this name.
bool set_level(std::string_view name);

void write(level at, std::string_view component, std::string_view event, std::string_view text);

inline void debug(std::string_view component, std::string_view event, std::string_view text) {
  write(level::debug, component, event, text);
}
inline void info(std::string_view component, std::string_view event, std::string_view text) {
  write(level::info, component, event, text);
}
inline void warn(std::string_view component, std::string_view event, std::string_view text) {
  write(level::warn, component, event, text);
}
inline void failure(std::string_view component, std::string_view event, std::string_view text) {
  write(level::error, component, event, text);
}

}  // namespace kope::log
