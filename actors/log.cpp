#include "actors/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>

namespace kope::log {
namespace {

spdlog::logger& logger() {
  static auto made = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto l = std::make_shared<spdlog::logger>("kope", sink);
    l->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    l->set_level(spdlog::level::warn);
    l->flush_on(spdlog::level::warn);
    return l;
  }();
  return *made;
}

constexpr std::array<std::pair<std::string_view, level>, 6> names{{{"trace", level::trace},
                                                                   {"debug", level::debug},
                                                                   {"info", level::info},
                                                                   {"warn", level::warn},
                                                                   {"error", level::error},
                                                                   {"off", level::off}}};

spdlog::level::level_enum of(level at) {
  switch (at) {
    case level::trace:
      return spdlog::level::trace;
    case level::debug:
      return spdlog::level::debug;
    case level::info:
      return spdlog::level::info;
    case level::warn:
      return spdlog::level::warn;
    case level::error:
      return spdlog::level::err;
    case level::off:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

}  // namespace

void set_level(level lowest) { logger().set_level(of(lowest)); }

bool set_level(std::string_view name) {
  for (auto& [text, value] : names)
    if (text == name) {
      set_level(value);
      return true;
    }
  return false;
}

void write(level at, std::string_view component, std::string_view event, std::string_view text) {
  logger().log(of(at), "{} {}: {}", component, event, text);
}

}  // namespace kope::log
