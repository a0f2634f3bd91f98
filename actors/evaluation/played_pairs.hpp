// What was measured in a comparison, and the ratios that follow from it. Pure, one thread.
//
// A process has its inputs before the clock is on and runs on until it is stopped after it said "done", so what it uses
// of its CPU outside of the clock may be work that belongs inside. Being woken and stopped costs an honest process some
// CPU time too: 30 us on one machine, 250 us on another that is busy, but about the same for both processes of a
// comparison at one time. So what the more frugal of the two usually needs is free for both, and what the other usually
// uses beyond it is added to each of its batches.
//
// "Usually" is the median over pairs, as everything that is decided from pairs, and not each batch's own: that of one
// batch differs by tens of microseconds for nothing, which made every other comparison of a kernel with itself
// undecided. Whoever works outside of the clock in half of the pairs or more pays for it in all of them, and in fewer
// it does not move a median. Times within a pair are added up, not their logarithms: one batch of no time at all is
// worth no more than what it hides.
#pragma once

#include <cstddef>
#include <vector>

namespace kope {

struct played_batch {
  double seconds = 0;            ///< by the clock
  double unclocked_seconds = 0;  ///< CPU time outside of it
  double calls = 1;
};

/// As many batches of either side, in the order in which they belong together.
struct played_pair {
  std::vector<played_batch> older, newer;
};

class played_pairs {
public:
  /// Below it nobody can tell one process's way of being woken from another's: medians of two identical kernels differ
  /// by some microseconds. 0.7 % of a batch of 3 ms, 2 % of the shortest that is ranked.
  static constexpr double always_free_seconds = 20e-6;

  void add(played_pair pair) { pairs_.push_back(std::move(pair)); }
  size_t size() const { return pairs_.size(); }
  bool empty() const { return pairs_.empty(); }

  /// CPU time outside of the clock that a batch of either side has free: the lower of what the two sides usually use,
  /// and always_free_seconds.
  double free_seconds() const;
  /// log(old / new) of each pair: of the seconds that a call took, all its batches together.
  std::vector<double> log_ratios() const;
  /// Median seconds of a call. At least one pair.
  double old_seconds() const { return median_call(&played_pair::older); }
  double new_seconds() const { return median_call(&played_pair::newer); }

private:
  using side = std::vector<played_batch> played_pair::*;
  double usual_unclocked(side of) const;
  /// What is added to each batch of this side.
  double charge(side of) const;
  double median_call(side of) const;

  std::vector<played_pair> pairs_;  // at most pairs_max and one more
};

}  // namespace kope
