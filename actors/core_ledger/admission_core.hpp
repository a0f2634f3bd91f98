// How much may be in flight past the planners at once, over all explorations: attempts, and the bytes of their parcels.
// Planners say how many attempts they could begin and begin those that are admitted; pools say what the parcels that
// they hold weigh. Explorations take turns, so that one with many tickets does not shut the others out. Plain values,
// no CAF: the core ledger's actor moves the messages.
//
// Nothing can wait for itself: what was admitted needs no second permission but the one to compile, and candidates may
// take only half of the bytes, so that there is room for an artifact as soon as the later stages have drained.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "messages/ids.hpp"

namespace kope {

/// Two keep a core busy; 64 let a slow stage fill up behind a fast one without the queue growing with the explorations.
constexpr uint32_t attempts_in_flight_a_core_max = 64;
/// What a machine with little memory has left beside runners and compilers.
constexpr uint64_t bytes_in_flight_max = 256 << 20;
/// A plan with its incumbent's text and a candidate with its own, 256 KiB each, and the rest of them. What an attempt
/// is counted as until a pool has weighed it.
constexpr uint64_t candidate_bytes_max = 576 << 10;
/// The compiler's limit of a file (cpp_compiler_options::file_bytes); what a compile is counted as while it runs.
constexpr uint64_t artifact_bytes_max = 8 << 20;

class admission_core {
public:
  explicit admission_core(uint32_t cores) : attempts_max_(attempts_in_flight_a_core_max * cores) {}

  /// This exploration could begin so many attempts more than it asked for before.
  void want(exploration_id exploration, uint32_t more);
  /// So many of its admitted attempts ended, or were not begun.
  void leave(exploration_id exploration, uint32_t ended);
  /// Its planner ended: it wants nothing and owns nothing any more. What pools still hold of it counts until they let
  /// go.
  void forget(exploration_id exploration);
  /// A pool has this attempt's parcel; 0: no pool has it any more.
  void hold(attempt_id attempt, uint64_t bytes);

  /// How many attempts of which exploration may begin now; they are in flight from here on. `compiling`: compiles that
  /// run.
  std::vector<std::pair<exploration_id, uint32_t>> admit(size_t compiling);
  /// Is there room for the artifact of one compile more?
  bool room_to_compile(size_t compiling) const;

  uint32_t attempts_max() const { return attempts_max_; }
  size_t in_flight() const { return admitted_ + alone_; }
  uint64_t waiting() const { return waiting_; }
  /// Of all parcels in flight: weighed where a pool has them, the most that they can be elsewhere.
  uint64_t bytes(size_t compiling) const;

private:
  struct share {
    uint32_t wanted = 0, in_flight = 0;
    uint32_t weighed = 0;  // of those in flight, held by a pool
  };
  struct parcel_held {
    uint64_t bytes = 0;
    bool alone = false;  // of no planner that counts it: the winner's measurement, or its planner ended
  };
  void drop_if_idle(exploration_id exploration);

  uint32_t attempts_max_;
  std::map<exploration_id, share> shares_;  // bounded by the explorations that run
  std::map<attempt_id, parcel_held> held_;  // bounded by what is in flight
  exploration_id last_admitted_;
  size_t admitted_ = 0, weighed_ = 0, alone_ = 0;
  uint64_t held_bytes_ = 0, waiting_ = 0;
};

}  // namespace kope
