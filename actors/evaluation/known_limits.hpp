// What this device gives at most, and from it the least time of a case. A time that is shorter than it allows is no
// achievement but a mistake of ours or a cheat. Thread-safe; measuring again blocks: device threads, while the core
// ledger's `measure` is held.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "messages/graph.capnp.h"
#include "messages/parcel.hpp"
#include "messages/result.hpp"
#include "messages/task.capnp.h"

namespace kope {

using limits_record = parcel<wire::LimitsRecord>;

/// The terms of the roofline.
struct case_work {
  wire::ElementType type = wire::ElementType::F32;
  double bytes = 0, flops = 0, transcendentals = 0;
};

case_work case_work_of(wire::Task::Reader of, size_t case_index);

struct least_time {
  double seconds = 0;  ///< 0: nothing is known
  wire::Resource limited_by = wire::Resource::UNKNOWN;
  double rate = 0;            ///< of that resource, a second
  double surely_seconds = 0;  ///< below this a time is suspect: errors, and what the limits leave open, are allowed for
};

/// Records that are looked at, newest first. The highest rate of each resource counts: a device does not get faster,
/// and what disturbs a measurement makes it low.
constexpr size_t limit_records_used = 8;
/// A rate that was looked for with few batches may be missed by this much however alike they were; a timing of a
/// candidate, of whose CPU time 20 us a batch are free, is off by 1 %.
constexpr double limit_error_min = 0.05;
/// A shorter polynomial, where tolerances allow one, saves at most half of the operations.
constexpr double exponential_slack = 2;

/// Of a case whose calls go through `footprint_bytes` of memory in turn. Of the memory levels the fastest that could
/// hold that much counts: the one that was measured in the largest footprint up to it, or else the smallest.
least_time least_time_of(const case_work& work, double footprint_bytes, const std::vector<limits_record>& records);

/// "1.2 us is 3.1 times as fast as the f32 multiply add peak (225 G a second) allows".
std::string suspicion_text(double seconds, const least_time& allowed);

class known_limits {
public:
  using clock = std::chrono::steady_clock;
  /// A measurement takes seconds while nothing else is timed: a family of impossible numbers costs one a minute.
  static constexpr std::chrono::seconds again_after{60};

  /// `measure` may be empty: then what is on record is all there is.
  known_limits(std::vector<limits_record> on_record, std::function<result<limits_record>()> measure);

  least_time of(const case_work& work, double footprint_bytes) const;

  /// Before a time is called impossible: a CPU that others share may give more now than when it was measured. Nothing
  /// happens within again_after of the last time.
  void measure_again(clock::time_point now = clock::now());

  /// Why a case cannot take so few seconds, after measuring again; empty when it can, or when nothing is known. Blocks
  /// as measure_again() does.
  std::string suspicion(const case_work& work, double footprint_bytes, double seconds);

  /// What measure_again() found since the last call, for the graph. Few: one a minute.
  std::vector<limits_record> take_fresh();

private:
  mutable std::mutex mutex_;
  std::vector<limits_record> records_;  // newest first, at most limit_records_used
  std::vector<limits_record> fresh_;    // at most limit_records_used: more of a run say nothing new
  std::function<result<limits_record>()> measure_;
  std::optional<clock::time_point> measured_at_;
};

}  // namespace kope
