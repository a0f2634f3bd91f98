#include "actors/evaluation/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "messages/result.hpp"

namespace kope {

namespace {

struct look {
  size_t pairs, dropped;
};
/// Of all schedules of five looks from 10 to 40 whose misses stay below 1 %, this one has the narrowest intervals at
/// Gaussian noise.
constexpr std::array<look, 5> looks = {{{10, 0}, {14, 1}, {20, 3}, {28, 6}, {40, 10}}};
static_assert(looks.front().pairs == pairs_min && looks.back().pairs == pairs_max);

/// Walks the number of pairs above the true median, which gains 0 or 1 with even chances a pair. A walk is absorbed at
/// the first look at which the interval misses, that is when at most `dropped` pairs lie on one side. `extra`: one more
/// look, 0 for none.
double missed_with(size_t extra) {
  double missed = 0;
  std::array<double, pairs_max + 2> alive{};
  alive[0] = 1;
  for (size_t n = 1; n <= pairs_max; ++n) {
    for (size_t above = n; above > 0; --above) alive[above] = (alive[above] + alive[above - 1]) / 2;
    alive[0] /= 2;
    if (!is_look(n) && n != extra) continue;
    for (size_t side = 0; side <= dropped_extremes(n); ++side) {
      missed += alive[side] + alive[n - side];
      alive[side] = alive[n - side] = 0;
    }
  }
  return missed;
}

}  // namespace

bool is_look(size_t pairs) {
  return std::any_of(looks.begin(), looks.end(), [&](const look& one) { return one.pairs == pairs; });
}

size_t dropped_extremes(size_t pairs) {
  check(pairs >= pairs_min && pairs <= pairs_max, "an interval has between 10 and 40 pairs");
  size_t dropped = 0;
  for (const auto& one : looks)
    if (one.pairs <= pairs) dropped = one.dropped;
  return dropped;
}

double probability_of_any_miss() {
  double most = 0;
  for (size_t extra = pairs_min; extra <= pairs_max; ++extra) most = std::max(most, missed_with(extra));
  return most;
}

double median(std::vector<double> values) {
  check(!values.empty(), "a median needs a value");
  size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(middle), values.end());
  double upper = values[middle];
  if (values.size() % 2) return upper;
  return (*std::max_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(middle)) + upper) / 2;
}

ratio_interval interval_of(std::span<const double> log_ratios) {
  ratio_interval found;
  found.pairs = log_ratios.size();
  if (log_ratios.empty()) return found;
  std::vector<double> sorted(log_ratios.begin(), log_ratios.end());
  std::sort(sorted.begin(), sorted.end());
  size_t drop = sorted.size() >= pairs_min ? dropped_extremes(std::min(sorted.size(), pairs_max)) : 0;
  found.ratio = std::exp(median(sorted));
  found.low = std::exp(sorted[drop]);
  found.high = std::exp(sorted[sorted.size() - 1 - drop]);
  return found;
}

namespace {

double half_width(const ratio_interval& interval) { return (interval.high - interval.low) / 2 / interval.ratio; }

}  // namespace

wire::Decision decide(const ratio_interval& interval) {
  if (interval.pairs < pairs_min) return wire::Decision::UNDECIDED;
  if (interval.low > 1 && interval.ratio > 1 + claim_floor) return wire::Decision::FASTER;
  if (interval.high < 1 && interval.ratio < 1 - claim_floor) return wire::Decision::SLOWER;
  if (half_width(interval) <= half_width_enough) return wire::Decision::NO_DIFFERENCE;
  // Wide, but wholly inside what would not be claimed anyway.
  if (interval.low >= 1 - claim_floor && interval.high <= 1 + claim_floor) return wire::Decision::NO_DIFFERENCE;
  return wire::Decision::UNDECIDED;
}

bool is_enough(const ratio_interval& interval, bool precise) {
  if (!is_look(interval.pairs)) return interval.pairs >= pairs_max;
  if (interval.pairs >= pairs_max || half_width(interval) <= half_width_enough) return true;
  if (precise) return false;
  if (interval.low > overwhelming || interval.high < 1 / overwhelming) return true;
  // No difference that would be claimed is left in it, or one is claimed and known well enough.
  return decide(interval) != wire::Decision::UNDECIDED && half_width(interval) <= half_width_of_claim;
}

}  // namespace kope
