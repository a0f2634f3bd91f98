#include "actors/evaluation/played_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "actors/evaluation/statistics.hpp"

namespace kope {

namespace {

double call_seconds(const std::vector<played_batch>& batches, double charge) {
  double seconds = 0, calls = 0;
  for (const auto& batch : batches) {
    seconds += batch.seconds + charge;
    calls += batch.calls;
  }
  return seconds / calls;
}

}  // namespace

double played_pairs::usual_unclocked(side of) const {
  if (pairs_.empty()) return 0;
  std::vector<double> all;
  for (const auto& pair : pairs_) {
    double sum = 0;
    for (const auto& batch : pair.*of) sum += batch.unclocked_seconds;
    all.push_back(sum / static_cast<double>((pair.*of).size()));
  }
  // The upper one of two: whoever moves work out of the clock in just half of the pairs pays for it as well.
  auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

double played_pairs::free_seconds() const {
  // Less than nothing is measured when a process lost its CPU: that gives nobody anything.
  double enough = std::min(usual_unclocked(&played_pair::older), usual_unclocked(&played_pair::newer));
  return std::max(0.0, enough) + always_free_seconds;
}

double played_pairs::charge(side of) const { return std::max(0.0, usual_unclocked(of) - free_seconds()); }

std::vector<double> played_pairs::log_ratios() const {
  double of_old = charge(&played_pair::older), of_new = charge(&played_pair::newer);
  std::vector<double> all;
  for (const auto& pair : pairs_)
    all.push_back(std::log(call_seconds(pair.older, of_old)) - std::log(call_seconds(pair.newer, of_new)));
  return all;
}

double played_pairs::median_call(side of) const {
  double charged = charge(of);
  std::vector<double> all;
  for (const auto& pair : pairs_) all.push_back(call_seconds(pair.*of, charged));
  return median(std::move(all));
}

}  // namespace kope
