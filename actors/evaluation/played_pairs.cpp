#include "actors/evaluation/played_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "actors/evaluation/statistics.hpp"

namespace kope {

namespace {

double call_seconds(const played_batch& batch, double free_seconds) {
  return (batch.seconds + std::max(0.0, batch.unclocked_seconds - free_seconds)) / batch.calls;
}

}  // namespace

double played_pairs::median_unclocked(side of) const {
  std::vector<double> all;
  for (const auto& pair : pairs_)
    for (const auto& batch : pair.*of) all.push_back(batch.unclocked_seconds);
  return median(std::move(all));
}

double played_pairs::free_seconds() const {
  if (pairs_.empty()) return always_free_seconds;
  // Less than nothing is measured when a process lost its CPU: that gives nobody anything.
  double enough = std::min(median_unclocked(&played_pair::older), median_unclocked(&played_pair::newer));
  return std::max(0.0, enough) + always_free_seconds;
}

std::vector<double> played_pairs::log_ratios() const {
  double free = free_seconds();
  std::vector<double> all;
  for (const auto& pair : pairs_) {
    double sum = 0;
    for (size_t i = 0; i < pair.older.size(); ++i)
      sum += std::log(call_seconds(pair.older[i], free)) - std::log(call_seconds(pair.newer[i], free));
    all.push_back(sum / static_cast<double>(pair.older.size()));
  }
  return all;
}

double played_pairs::median_call(side of) const {
  double free = free_seconds();
  std::vector<double> all;
  for (const auto& pair : pairs_) {
    double sum = 0;
    for (const auto& batch : pair.*of) sum += call_seconds(batch, free);
    all.push_back(sum / static_cast<double>((pair.*of).size()));
  }
  return median(std::move(all));
}

}  // namespace kope
