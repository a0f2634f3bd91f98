// Graph stores that fail on demand, around any other store: for tests of what actors do when a commit fails. A failed
// commit writes nothing, as the contract says. Any thread, as far as the inner store allows.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "storage/graph_store.hpp"

namespace kope::testing {

/// Everything goes to the inner store; what fails is decided in `failure_of`.
class faulty_graph_store : public graph_store {
public:
  explicit faulty_graph_store(std::shared_ptr<graph_store> inner) : inner_(std::move(inner)) {}

  result<std::vector<outcome_receipt>> commit(const commit_batch& batch) override {
    if (auto failure = failure_of(batch)) return *failure;
    return inner_->commit(batch);
  }
  result<std::unique_ptr<graph_snapshot>> snapshot() const override { return inner_->snapshot(); }
  uint32_t incarnation() const override { return inner_->incarnation(); }
  result<exploration_id> new_exploration_id() override { return inner_->new_exploration_id(); }

protected:
  virtual std::optional<error> failure_of(const commit_batch& batch) = 0;

private:
  std::shared_ptr<graph_store> inner_;
};

/// Fails chosen commits, counted from 1.
class failing_commits final : public faulty_graph_store {
public:
  using faulty_graph_store::faulty_graph_store;

  /// Commits `first` to `first + times - 1` fail with `failure`.
  void fail(uint64_t first, error failure, uint64_t times = 1) {
    std::lock_guard lock(mutex_);
    for (uint64_t n = first; n < first + times; ++n) failures_[n] = failure;
  }
  /// Fails from the next commit on until recover().
  void fail_until_recovery(error failure) {
    std::lock_guard lock(mutex_);
    standing_ = std::move(failure);
  }
  void recover() {
    std::lock_guard lock(mutex_);
    standing_.reset();
  }
  /// Commits asked for, failed ones too.
  uint64_t commits() const {
    std::lock_guard lock(mutex_);
    return commits_;
  }

private:
  std::optional<error> failure_of(const commit_batch&) override {
    std::lock_guard lock(mutex_);
    ++commits_;
    if (standing_) return standing_;
    auto failure = failures_.find(commits_);
    if (failure == failures_.end()) return std::nullopt;
    return failure->second;
  }

  mutable std::mutex mutex_;
  uint64_t commits_ = 0;
  std::map<uint64_t, error> failures_;
  std::optional<error> standing_;
};

/// Refuses every batch with an outcome of one attempt, as a store does whose rules that outcome breaks.
class refusing_attempt final : public faulty_graph_store {
public:
  refusing_attempt(std::shared_ptr<graph_store> inner, attempt_id culprit)
    : faulty_graph_store(std::move(inner)), culprit_(culprit) {}

private:
  std::optional<error> failure_of(const commit_batch& batch) override {
    for (auto& ended : batch.outcomes) {
      auto row = ended.read();
      auto text = row->getAttempt().getHeader().getAttempt();
      if (std::string_view(text.begin(), text.size()) == culprit_.text())
        return error{errc::invalid_input, "attempt " + culprit_.text() + " is refused by this test"};
    }
    return std::nullopt;
  }

  attempt_id culprit_;
};

}  // namespace kope::testing
