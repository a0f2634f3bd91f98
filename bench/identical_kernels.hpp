// How often is a difference claimed where there is none? Two byte-identical artifacts, compared again and again in
// fresh processes. Blocking; main thread.
#pragma once

#include <string>
#include <vector>

#include "bench/targets.hpp"
#include "bench/workplace.hpp"

namespace kope::bench {

/// What the schedule coder would write first: a kernel like a winner's, the same in every run.
result<build> first_candidate(workplace& at, wire::Task::Reader of);

struct identical_comparison {
  double ratio = 1, low = 0, high = 0;
  uint32_t pairs = 0, disturbed = 0;
  wire::Decision decision = wire::Decision::UNDECIDED;
  std::string note;  ///< why it stopped early
  double seconds = 0;
};

struct identical_result {
  std::string kernel;  ///< "matmul (medium)"
  double microseconds = 0;
  std::vector<identical_comparison> comparisons;
  double load_before = 0, load_after = 0;
};

struct identical_counts {
  size_t faster = 0, slower = 0, no_difference = 0, undecided = 0;
  size_t out_of_time = 0;       ///< undecided because the time was up
  double median_deviation = 0;  ///< of |ratio - 1|
  double median_half_width = 0;
  double median_seconds = 0, median_pairs = 0;
  double disturbed_share = 0;  ///< of all pairs played
};
identical_counts count(const std::vector<identical_comparison>& comparisons);

/// Generated kernels of matmul and sum, request.comparisons each, and the reference of matmul, a tenth of that.
result<std::vector<identical_result>> compare_identical_kernels(workplace& at);

std::vector<target> identical_targets(const std::vector<identical_result>& all);
std::string identical_text(const std::vector<identical_result>& all);
json identical_json(const std::vector<identical_result>& all);

}  // namespace kope::bench
