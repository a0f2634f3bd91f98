// Does timing say what is so? Kernels of three lengths: identical ones, of which none may be called faster, and ones
// that differ by 5 %, of which nearly all must be, and never the wrong one. Also what each answer costs. Blocking; main
// thread.
#pragma once

#include <string>
#include <vector>

#include "bench/known_work.hpp"
#include "bench/targets.hpp"
#include "bench/workplace.hpp"

namespace kope::bench {

/// One comparison, ratios turned so that above 1 is the truth.
struct answer {
  double ratio = 1;
  wire::Decision decision = wire::Decision::UNDECIDED;  ///< FASTER: the truth, SLOWER: its opposite
  std::string note;
  uint32_t pairs = 0, disturbed = 0, starts = 0;
  double timed_seconds = 0, seconds = 0;
};

struct claims_result {
  known_length length;
  bool identical = true;  ///< otherwise 5 % apart, the slower one being the old one and the new one in turn
  double microseconds = 0;
  std::vector<answer> answers;
  double load_before = 0, load_after = 0;
};

struct claims_count {
  size_t right = 0, wrong = 0, no_difference = 0, undecided = 0;
  double median_ratio = 1, median_pairs = 0, disturbed_share = 0;
  double median_timed = 0, most_timed = 0, median_seconds = 0, most_seconds = 0;
};
claims_count count(const std::vector<answer>& answers);

/// request.comparisons of each length and kind, with a busy loop on each CPU when request.busy says so.
result<std::vector<claims_result>> measure_timing_claims(workplace& at);

/// `busy`: beside busy loops costs are not held to anything, and `undecided` is an answer.
std::vector<target> claims_targets(const std::vector<claims_result>& all, bool busy);
std::string claims_text(const std::vector<claims_result>& all);
json claims_json(const std::vector<claims_result>& all);

}  // namespace kope::bench
