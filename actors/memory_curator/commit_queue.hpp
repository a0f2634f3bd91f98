// What waits for the next transaction, and how a batch that fails is taken apart. Without CAF: the actor around it
// sends the answers. Queue length is bounded by the tickets of all explorations (one outcome, one open row each) and
// one row each.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "storage/graph_store.hpp"

namespace kope {

/// What became of everything that was queued.
struct commit_report {
  bool disk_full = false;  ///< nothing was written and everything is still queued
  std::string why;         ///< of disk_full
  std::vector<outcome_receipt> outcomes;
  struct refusal {
    std::string what;  ///< "attempt 00…", "exploration 00…"
    std::string why;
  };
  std::vector<refusal> refused;
  std::vector<uint64_t> rows_written;  ///< tokens
  std::vector<std::pair<uint64_t, error>> rows_refused;
  uint64_t transactions = 0;
};

class commit_queue {
public:
  void add(open_row row) { opened_.push_back(std::move(row)); }
  void add(outcome ended) { outcomes_.push_back(std::move(ended)); }
  /// A row with the records it refers to; `token` comes back in the report.
  void add(commit_batch row, uint64_t token) { rows_.emplace_back(std::move(row), token); }

  bool empty() const { return opened_.empty() && outcomes_.empty() && rows_.empty(); }
  size_t size() const { return opened_.size() + outcomes_.size() + rows_.size(); }

  /// One transaction for all of it. When that fails for another reason than the disk, one each: only the culprit is
  /// refused. A refused outcome is replaced by a harness_error without its content, so that its attempt ends.
  commit_report commit(graph_store& store);

private:
  std::vector<open_row> opened_;
  std::vector<outcome> outcomes_;
  std::vector<std::pair<commit_batch, uint64_t>> rows_;
};

}  // namespace kope
