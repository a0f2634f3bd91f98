// The random numbers of one exploration: SplitMix64 (Steele, Lea, Flood 2014), because its whole state is one number
// that fits the exploration row, so a restart goes on with the same sequence.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kope {

class random_source {
public:
  using result_type = uint64_t;

  explicit random_source(uint64_t state) : state_(state) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  result_type operator()() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  /// Uniform in [0, bound); bound above 0. The bias of the multiplication is below bound / 2^64.
  size_t below(size_t bound) { return static_cast<size_t>(static_cast<unsigned __int128>((*this)()) * bound >> 64); }

  uint64_t state() const { return state_; }

private:
  uint64_t state_;
};

}  // namespace kope
