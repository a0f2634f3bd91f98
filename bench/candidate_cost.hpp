// What judging one correct candidate costs beyond compiling and timing it, in its parts: starting a runner at each
// level of the sandbox, touching pages, screening and loading, and a whole verification. Also how much CPU time an
// honest runner uses outside of the clock, which timing has to leave free (played_pairs.hpp). Blocking; main
// thread.
#pragma once

#include <string>
#include <vector>

#include "bench/targets.hpp"
#include "bench/workplace.hpp"

namespace kope::bench {

struct start_cost {
  std::string level;  ///< "lite", or why it cannot be had
  double least_seconds = 0, median_seconds = 0;
};

struct verification_cost {
  std::string task;
  double seconds = 0;       ///< median of all, a drawn shape each, its oracle included
  double sessions = 0;      ///< runners started: the candidate's, and for the drawn shape oracle and reference
  double pages = 0;         ///< that they touched first
  double open_seconds = 0;  ///< starting, touching, loading
  double call_seconds = 0;  ///< the kernels themselves
  double screen_seconds = 0;
  /// Allowed: 100 ms and 30 us a page.
  double seconds_max() const { return 0.1 + 30e-6 * pages; }
};

struct candidate_cost {
  std::vector<start_cost> starts;  ///< one session with two pages, weakest level first
  double page_seconds = 0;         ///< of one page that a runner touches first
  std::vector<verification_cost> verifications;
  /// CPU time of a batch outside of its clock, an honest kernel.
  double unclocked_least = 0, unclocked_median = 0, unclocked_ninety = 0;
  double load_before = 0, load_after = 0;
};

result<candidate_cost> measure_candidate_cost(workplace& at);

std::vector<target> candidate_targets(const candidate_cost& cost);
std::string candidate_text(const candidate_cost& cost);
json candidate_json(const candidate_cost& cost);

}  // namespace kope::bench
