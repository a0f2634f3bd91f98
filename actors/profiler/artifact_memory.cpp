#include "actors/profiler/artifact_memory.hpp"

namespace kope {
namespace {

// Incumbents are kept beyond bytes_max_, one an exploration: as many as may run at once.
constexpr size_t incumbents_max = 4096;

}  // namespace

std::optional<artifact_memory::known> artifact_memory::incumbent(exploration_id of, uint32_t generation) const {
  std::lock_guard hold(mutex_);
  auto at = incumbents_.find(of);
  if (at == incumbents_.end() || at->second.generation != generation) return std::nullopt;
  return at->second.what;
}

std::shared_ptr<const std::string> artifact_memory::artifact(attempt_id of) const {
  std::lock_guard hold(mutex_);
  auto at = artifacts_.find(of);
  return at == artifacts_.end() ? nullptr : at->second;
}

void artifact_memory::keep(attempt_id attempt, std::shared_ptr<const std::string> artifact) {
  std::lock_guard hold(mutex_);
  keep_locked(attempt, std::move(artifact));
}

void artifact_memory::promote(attempt_id attempt, uint32_t generation, std::shared_ptr<const std::string> artifact) {
  std::lock_guard hold(mutex_);
  auto& slot = incumbents_[exploration_of(attempt)];
  if (slot.generation > generation) return;
  slot = {{attempt, artifact}, generation};
  if (incumbents_.size() > incumbents_max) incumbents_.erase(incumbents_.begin());  // the oldest exploration
  keep_locked(attempt, std::move(artifact));
}

void artifact_memory::keep_locked(attempt_id attempt, std::shared_ptr<const std::string> artifact) {
  auto [at, fresh] = artifacts_.emplace(attempt, artifact);
  if (!fresh) return;
  bytes_ += artifact->size();
  oldest_first_.push_back(attempt);
  while (bytes_ > bytes_max_ && oldest_first_.size() > 1) {
    auto oldest = artifacts_.find(oldest_first_.front());
    oldest_first_.pop_front();
    bytes_ -= oldest->second->size();
    artifacts_.erase(oldest);
  }
}

}  // namespace kope
