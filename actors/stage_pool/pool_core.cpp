#include "actors/stage_pool/pool_core.hpp"

#include <algorithm>
#include <iterator>

namespace kope {

bool pool_core::submit(pool_item item) {
  if (queued() >= pool_queue_max || running_.contains(item.attempt)) return false;
  auto& queue = queues_[exploration_of(item.attempt)];
  for (auto& waiting : queue)
    if (waiting.attempt == item.attempt) return false;
  queue.push_back(std::move(item));
  return true;
}

void pool_core::worker_ready(worker_number worker) {
  if (std::find(idle_.begin(), idle_.end(), worker) == idle_.end()) idle_.push_back(worker);
}

size_t pool_core::grants_wanted() const {
  size_t useful = std::min(queued(), idle_.size());
  return useful > requested_.size() ? useful - requested_.size() : 0;
}

void pool_core::grant_requested(uint64_t request) { requested_.push_back(request); }

std::optional<pool_item> pool_core::next_in_turn() {
  if (queues_.empty()) return std::nullopt;
  auto turn = queues_.upper_bound(last_served_);
  if (turn == queues_.end()) turn = queues_.begin();
  last_served_ = turn->first;
  pool_item item = std::move(turn->second.front());
  turn->second.pop_front();
  if (turn->second.empty()) queues_.erase(turn);
  return item;
}

std::optional<pool_core::hand_out> pool_core::granted(uint64_t request, pool_time now) {
  std::erase(requested_, request);
  if (idle_.empty()) return std::nullopt;
  auto item = next_in_turn();
  if (!item) return std::nullopt;
  running_item running;
  running.worker = idle_.front();
  idle_.pop_front();
  running.request = request;
  running.lease_end = now + lease_;
  item->handed_out += 1;
  running.item = std::move(*item);
  hand_out out{running.worker, running.item.content};
  running_.emplace(running.item.attempt, std::move(running));
  return out;
}

std::optional<pool_core::ended_item> pool_core::finished(attempt_id attempt, worker_number worker) {
  auto at = running_.find(attempt);
  if (at == running_.end() || at->second.worker != worker) return std::nullopt;
  ended_item ended{std::move(at->second.item), at->second.request, at->second.expired};
  running_.erase(at);
  return ended;
}

pool_core::loss pool_core::worker_down(worker_number worker) {
  std::erase(idle_, worker);
  loss lost;
  for (auto at = running_.begin(); at != running_.end(); ++at) {
    if (at->second.worker != worker) continue;
    lost.request = at->second.request;
    auto item = std::move(at->second.item);
    bool expired = at->second.expired;
    running_.erase(at);
    if (expired) {
      lost.gone = item.attempt;
      break;
    }
    if (item.handed_out >= 2)
      lost.given_up = std::move(item);
    else
      queues_[exploration_of(item.attempt)].push_front(std::move(item));
    break;
  }
  return lost;
}

std::vector<pool_core::expiry> pool_core::expire(pool_time now) {
  std::vector<expiry> ended;
  for (auto& [attempt, running] : running_) {
    if (running.expired || running.lease_end > now) continue;
    running.expired = true;
    ended.push_back({running.item, running.worker});
  }
  return ended;
}

pool_core::cancellation pool_core::cancel(exploration_id exploration) {
  cancellation cancelled;
  if (auto queue = queues_.find(exploration); queue != queues_.end()) {
    cancelled.dropped.assign(std::make_move_iterator(queue->second.begin()),
                             std::make_move_iterator(queue->second.end()));
    queues_.erase(queue);
  }
  for (auto& [attempt, running] : running_)
    if (exploration_of(attempt) == exploration) cancelled.workers.push_back(running.worker);
  return cancelled;
}

size_t pool_core::queued() const {
  size_t count = 0;
  for (auto& [exploration, queue] : queues_) count += queue.size();
  return count;
}

}  // namespace kope
