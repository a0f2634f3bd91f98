#include "actors/core_ledger/admission_core.hpp"

#include <algorithm>

namespace kope {

void admission_core::want(exploration_id exploration, uint32_t more) {
  if (more == 0) return;
  shares_[exploration].wanted += more;
  waiting_ += more;
}

void admission_core::leave(exploration_id exploration, uint32_t ended) {
  auto known = shares_.find(exploration);
  if (known == shares_.end()) return;
  ended = std::min(ended, known->second.in_flight);
  known->second.in_flight -= ended;
  admitted_ -= ended;
  // its lease ended: the outcome is known before the worker lets go of the parcel
  for (auto at = held_.lower_bound(make_attempt_id(exploration, 0)); known->second.weighed > known->second.in_flight;
       ++at) {
    if (at->second.alone) continue;
    at->second.alone = true;
    ++alone_;
    --known->second.weighed;
    --weighed_;
  }
  drop_if_idle(exploration);
}

void admission_core::forget(exploration_id exploration) {
  auto known = shares_.find(exploration);
  if (known == shares_.end()) return;
  waiting_ -= known->second.wanted;
  known->second.wanted = 0;
  leave(exploration, known->second.in_flight);
}

void admission_core::hold(attempt_id attempt, uint64_t bytes) {
  auto known = held_.find(attempt);
  if (bytes == 0) {
    if (known == held_.end()) return;
    held_bytes_ -= known->second.bytes;
    if (known->second.alone) {
      --alone_;
    } else {
      --shares_.at(exploration_of(attempt)).weighed;
      --weighed_;
    }
    held_.erase(known);
    drop_if_idle(exploration_of(attempt));
    return;
  }
  if (known == held_.end()) {
    auto share = shares_.find(exploration_of(attempt));
    bool alone = share == shares_.end() || share->second.weighed >= share->second.in_flight;
    known = held_.emplace(attempt, parcel_held{0, alone}).first;
    if (alone) {
      ++alone_;
    } else {
      ++share->second.weighed;
      ++weighed_;
    }
  }
  held_bytes_ -= known->second.bytes;
  held_bytes_ += bytes;
  known->second.bytes = bytes;
}

std::vector<std::pair<exploration_id, uint32_t>> admission_core::admit(size_t compiling) {
  std::map<exploration_id, uint32_t> begun;
  while (waiting_ > 0 && in_flight() < attempts_max_ && bytes(0) + candidate_bytes_max <= bytes_in_flight_max / 2 &&
         bytes(compiling) + candidate_bytes_max <= bytes_in_flight_max) {
    auto turn = shares_.upper_bound(last_admitted_);
    while (turn == shares_.end() || turn->second.wanted == 0)
      turn = turn == shares_.end() ? shares_.begin() : std::next(turn);
    last_admitted_ = turn->first;
    --turn->second.wanted;
    --waiting_;
    ++turn->second.in_flight;
    ++admitted_;
    ++begun[turn->first];
  }
  return {begun.begin(), begun.end()};
}

bool admission_core::room_to_compile(size_t compiling) const { return bytes(compiling + 1) <= bytes_in_flight_max; }

uint64_t admission_core::bytes(size_t compiling) const {
  return held_bytes_ + (admitted_ - weighed_) * candidate_bytes_max + compiling * artifact_bytes_max;
}

void admission_core::drop_if_idle(exploration_id exploration) {
  auto known = shares_.find(exploration);
  if (known != shares_.end() && known->second.wanted == 0 && known->second.in_flight == 0 && known->second.weighed == 0)
    shares_.erase(known);
}

}  // namespace kope
