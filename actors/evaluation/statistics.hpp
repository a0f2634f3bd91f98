// Decides from paired log ratios whether one kernel is faster. Pure, any thread.
//
// Why pairs and medians: samples of one process drift by tens of per cent within minutes, neighbours in time do not,
// and a mean is ruined by one preempted sample.
//
// The interval is of order statistics, without any assumption about the noise but that it is as often above the median
// as below: [x(k), x(n+1-k)] misses the median only when fewer than k of n pairs lie on one side of it. The rule looks
// at 10, 14, 20, 28 and 40 pairs and may stop at any look, so k comes from the probability that *any* look misses,
// computed exactly as a random walk, and that is at most 1 %. So "99 %" holds however the rule stops, and two identical
// kernels are told apart in at most 1 of 100 comparisons; the 3 % floor makes it fewer. Few looks, because each costs
// a part of that 1 %: a look after every pair from 8 on leaves an interval a quarter wider at 40.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "messages/work.capnp.h"

namespace kope {

constexpr size_t pairs_min =
    10;  ///< the first look: its extremes miss the median with 2 / 2^10, a fifth of what may be
constexpr size_t pairs_max = 40;      ///< the interval shrinks with the root of pairs; beyond this, time buys little
constexpr double claim_floor = 0.03;  ///< smaller differences are below what placement of pages alone does
constexpr double half_width_enough = 0.02;
/// Enough for a difference that is claimed: whoever weighs a gain gets its interval too.
constexpr double half_width_of_claim = 0.04;
constexpr double overwhelming =
    1.3;  ///< an interval wholly beyond this factor decides at once: precision is not needed

struct ratio_interval {
  double ratio = 1;  ///< median
  double low = 0, high = 0;
  size_t pairs = 0;
};

/// Whether the rule may stop after so many pairs.
bool is_look(size_t pairs);
/// How many order statistics from either end are dropped after `pairs` pairs: 0 means that the extremes are the
/// interval. Between two looks (time was up) as many as at the earlier one. For pairs from pairs_min to pairs_max.
size_t dropped_extremes(size_t pairs);
/// Probability that any look up to pairs_max misses the median, with one more between two looks where that is likeliest
/// to miss. What the tests hold against 1 %.
double probability_of_any_miss();

double median(std::vector<double> values);

/// Of ratios old / new, given as logarithms. With fewer than pairs_min the extremes are returned and mean nothing.
ratio_interval interval_of(std::span<const double> log_ratios);

/// What the interval says by itself: `undecided` when it is too wide to tell.
wire::Decision decide(const ratio_interval& interval);

/// Whether another pair could matter; false between looks. `precise`: for a number that people read, so a claim alone
/// does not end it.
bool is_enough(const ratio_interval& interval, bool precise = false);

}  // namespace kope
