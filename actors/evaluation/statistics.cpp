#include "actors/evaluation/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "messages/result.hpp"

namespace kope {

namespace {

constexpr double miss_max = 0.01;
/// Share of miss_max that looks up to this one may have used. The first look takes 0.78 % in any case; the rest is
/// spread evenly, so that late looks, whose intervals are narrow, have some left.
double may_be_spent(size_t pairs) {
  constexpr double first = 2.0 / (1 << pairs_min);
  double progress = static_cast<double>(pairs - pairs_min) / static_cast<double>(pairs_max - pairs_min);
  return first + (miss_max - first) * progress;
}

struct boundary {
  std::array<size_t, pairs_max + 1> dropped{};
  double missed = 0;
};

/// Walks the number of pairs above the true median, which gains 0 or 1 with even chances a pair. A walk is absorbed at
/// the first look at which the interval misses, that is when at most `dropped` pairs lie on one side.
boundary make_boundary() {
  boundary made;
  std::array<double, pairs_max + 2> alive{};
  alive[0] = 1;
  for (size_t n = 1; n <= pairs_max; ++n) {
    for (size_t above = n; above > 0; --above) alive[above] = (alive[above] + alive[above - 1]) / 2;
    alive[0] /= 2;
    if (n < pairs_min) continue;
    // Never drop fewer than before and at most one more: the more data, the closer to the middle.
    size_t drop = n == pairs_min ? 0 : made.dropped[n - 1];
    auto absorbed = [&](size_t dropped) {
      double sum = 0;
      for (size_t side = 0; side <= dropped; ++side) {
        sum += alive[side];
        if (n - side != side) sum += alive[n - side];
      }
      return sum;
    };
    if (n > pairs_min && made.missed + absorbed(drop + 1) <= may_be_spent(n)) ++drop;
    made.dropped[n] = drop;
    made.missed += absorbed(drop);
    for (size_t side = 0; side <= drop; ++side) alive[side] = alive[n - side] = 0;
  }
  return made;
}

const boundary& the_boundary() {
  static const boundary made = make_boundary();
  return made;
}

}  // namespace

size_t dropped_extremes(size_t pairs) {
  check(pairs >= pairs_min && pairs <= pairs_max, "an interval has between 8 and 40 pairs");
  return the_boundary().dropped[pairs];
}

double probability_of_any_miss() { return the_boundary().missed; }

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
  if (interval.pairs < pairs_min) return false;
  if (interval.pairs >= pairs_max) return true;
  if (!precise && (interval.low > overwhelming || interval.high < 1 / overwhelming)) return true;
  return half_width(interval) <= half_width_enough;
}

}  // namespace kope
