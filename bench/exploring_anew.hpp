// One exploration as `kope run` makes it, in this process and always a new one, and what it found. Main thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/workplace.hpp"

namespace kope::bench {

struct explored {
  exploration_row row;                   ///< at its end
  std::vector<attempt_record> attempts;  ///< oldest first
  std::string source;                    ///< the winner's; empty when nothing beat the reference
  std::vector<std::string> flags;        ///< the winner's
  std::string parameters;                ///< the winner's, as one line
};

/// errc::cancelled after a signal.
result<explored> explore_anew(workplace& at, std::string_view task_name, const std::string& timed_case,
                              uint32_t attempts, double seconds);

}  // namespace kope::bench
