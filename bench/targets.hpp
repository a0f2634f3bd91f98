// What the program is held to, each with the figure that was measured. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/commands/report.hpp"

namespace kope::bench {

struct target {
  std::string name;      ///< "matmul against the reference"
  bool at_least = true;  ///< otherwise at most
  double wanted = 0;
  std::string unit;                ///< "x", "ms", "of 100"
  std::optional<double> measured;  ///< nothing: it could not be measured, which counts as missed
  std::string note;                ///< why it was missed, in a number

  bool met() const { return measured && (at_least ? *measured >= wanted : *measured <= wanted); }
};

bool all_met(const std::vector<target>& targets);
/// A table with one line a target.
std::string targets_text(const std::vector<target>& targets);
json targets_json(const std::vector<target>& targets);

}  // namespace kope::bench
