// What the program itself costs: starting it, one correct attempt by stage, its bytes on disk. Blocking; main thread.
#pragma once

#include <string>
#include <vector>

#include "bench/targets.hpp"
#include "bench/workplace.hpp"

namespace kope::bench {

struct stage_seconds {
  double code = 0, compile = 0, verify = 0, profile = 0;
};
/// Medians over the attempts that were verified and timed; zeros when there is none.
stage_seconds median_seconds(const std::vector<attempt_record>& attempts);

struct running_cost {
  double help_seconds = 0;  ///< median of 10 starts of `kope --help`
  uint32_t attempts = 0, correct = 0;
  double seconds_each = 0;  ///< of the exploration, over its attempts: stages overlap
  stage_seconds stages;
  double bytes_each = 0;  ///< of the graph on disk, growth over attempts
  double load_before = 0, load_after = 0;
};
result<running_cost> measure_running_cost(workplace& at);

std::vector<target> running_targets(const running_cost& cost);
std::string running_text(const running_cost& cost);
json running_json(const running_cost& cost);

}  // namespace kope::bench
