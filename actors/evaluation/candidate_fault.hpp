// What became of a candidate's process, as an outcome class with one line for people. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "messages/result.hpp"
#include "messages/work.capnp.h"
#include "toolchains/runner.hpp"

namespace kope {

struct fault {
  wire::OutcomeClass outcome = wire::OutcomeClass::WRONG_ANSWER;
  std::string detail;
  /// A timeout in which the process got less than half of the time as CPU: the machine was busy, or it slept. Final
  /// only when it happens twice.
  bool perhaps_starved = false;
};

/// Nothing when the batch ended well. `last_words`: what the process printed.
std::optional<fault> fault_of(const batch_report& report, double deadline_seconds, std::string_view last_words);

/// Of a session that did not start because of the artifact; nothing when the error is ours.
std::optional<fault> fault_of_loading(const error& failure);

}  // namespace kope
