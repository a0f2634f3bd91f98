// Which points of a space were tried: hashes, the oldest forgotten, so that a policy's snapshot keeps its bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_set>

#include "actors/planner/parameter_neighbourhood.hpp"

namespace kope {

/// 2,500 numbers of at most 20 digits and a comma are 52 KiB of a snapshot's 64.
constexpr size_t tried_points_max = 2500;

class tried_points {
public:
  /// Marks it as tried; false when it was.
  bool take(const point& at) { return take(point_hash(at)); }
  bool take(uint64_t hash) {
    if (!known_.insert(hash).second) return false;
    order_.push_back(hash);
    if (order_.size() > tried_points_max) {
      known_.erase(order_.front());
      order_.pop_front();
    }
    return true;
  }
  bool knows(uint64_t hash) const { return known_.contains(hash); }
  const std::deque<uint64_t>& hashes() const { return order_; }  ///< oldest first
  void clear() {
    known_.clear();
    order_.clear();
  }

private:
  std::unordered_set<uint64_t> known_;
  std::deque<uint64_t> order_;
};

}  // namespace kope
