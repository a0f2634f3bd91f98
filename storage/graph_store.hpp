// The experience graph: what was tried, on what, and how it ended. This contract says what may be asked of a store;
// lmdb_graph_store and memory_graph_store fill it and pass one test suite. docs/GRAPH_FORMAT.md has the bytes.
//
// Who may call what: commit() is called by the memory curator alone, from one handler at a time (a write transaction
// begins and ends inside the call), or by a command while it runs no curator. snapshot() is called from any thread; a
// snapshot is used by one thread, inside one handler, and dropped: a snapshot that is kept stops the store from reusing
// pages.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages/graph.capnp.h"
#include "messages/ids.hpp"
#include "messages/parcel.hpp"
#include "messages/result.hpp"

namespace kope {

using task_record = parcel<wire::TaskRecord>;
using target_record = parcel<wire::TargetRecord>;
using toolchain_record = parcel<wire::ToolchainRecord>;
using attempt_record = parcel<wire::Attempt>;
using limits_record = parcel<wire::LimitsRecord>;
using open_row = parcel<wire::OpenRow>;
using exploration_row = parcel<wire::Exploration>;
using outcome = parcel<wire::Outcome>;

/// Everything that goes into one transaction, applied in the order of the fields.
struct commit_batch {
  std::vector<task_record> tasks;  ///< inserted, or replaced when the key exists
  std::vector<target_record> targets;
  std::vector<toolchain_record> toolchains;
  std::vector<limits_record> limits;          ///< inserted; one of the same target and moment stays as it is
  std::vector<std::string> sources;           ///< texts that no outcome brings, e.g. references; stored by content hash
  std::vector<exploration_row> explorations;  ///< written over the row of the same id
  std::vector<open_row> opened;               ///< ignored when the attempt is committed or open already
  std::vector<outcome> outcomes;

  bool empty() const {
    return tasks.empty() && targets.empty() && toolchains.empty() && limits.empty() && sources.empty() &&
           explorations.empty() && opened.empty() && outcomes.empty();
  }
};

/// One for each outcome of the batch, in its order.
struct outcome_receipt {
  uint64_t step = 0;       ///< logical clock of the attempt that is stored under this id
  bool duplicate = false;  ///< another outcome of this attempt came first; this one was dropped
  attempt_record stored;   ///< the attempt as stored, with its step set
};

enum class edge_kind : uint8_t {
  derived_from = 1,   ///< attempt -> the attempt whose source it changed
  injected_into = 2,  ///< attempt that was recalled -> attempt whose plan or prompt contained it
};

struct edge {
  attempt_id from;
  attempt_id to;
  uint64_t step = 0;  ///< when it was written
};

struct store_counts {
  uint64_t attempts = 0, open = 0, explorations = 0, sources = 0, tasks = 0, edges = 0;
  uint64_t bytes_on_disk = 0;  ///< 0 in memory
};

/// A consistent view of one moment. Missing rows are nullopt; a row that cannot be decoded is errc::invalid_input and
/// names table and key.
class graph_snapshot {
public:
  virtual ~graph_snapshot() = default;

  virtual uint64_t step() const = 0;
  virtual result<std::optional<attempt_record>> attempt(attempt_id id) const = 0;
  /// Attempts of one exploration whose step is above `after_step`, oldest first, at most `limit`.
  /// Cost: the rows returned, not the history.
  virtual result<std::vector<attempt_record>> attempts_after(exploration_id exploration, uint64_t after_step,
                                                             size_t limit) const = 0;
  /// The newest attempts of one exploration, newest first.
  virtual result<std::vector<attempt_record>> newest_attempts(exploration_id exploration, size_t limit) const = 0;
  virtual result<std::vector<open_row>> open_rows() const = 0;  ///< all of them: bounded by tickets
  virtual result<std::optional<exploration_row>> exploration(exploration_id id) const = 0;
  virtual result<std::vector<exploration_row>> explorations(size_t limit) const = 0;  ///< newest first
  virtual result<std::optional<task_record>> task(std::string_view key) const = 0;
  virtual result<std::optional<target_record>> target(std::string_view key) const = 0;
  virtual result<std::optional<toolchain_record>> toolchain(std::string_view key) const = 0;
  /// What was measured on this target, newest first.
  virtual result<std::vector<limits_record>> limits(std::string_view target_key, size_t limit) const = 0;
  virtual result<std::optional<std::string>> source(std::string_view hash) const = 0;
  /// Attempt of this exploration with the same normalised source and flags, if one was judged.
  virtual result<std::optional<attempt_id>> attempt_by_normal_hash(exploration_id exploration,
                                                                   std::string_view normal_hash) const = 0;
  /// Edges of one attempt, newest first: `outgoing` from it, otherwise to it.
  virtual result<std::vector<edge>> edges(attempt_id of, edge_kind kind, bool outgoing, size_t limit) const = 0;
  virtual result<store_counts> counts() const = 0;
};

class graph_store {
public:
  virtual ~graph_store() = default;

  /// One transaction: all or nothing. For each outcome: the first of an attempt id wins, later ones are dropped and
  /// acknowledged all the same; the open row is closed, the attempt inserted, its source stored, its edges written,
  /// `step` raised by one. Durable when it returns. errc::disk_full: nothing was written, try again when there is
  /// room. Any other failure: nothing was written.
  virtual result<std::vector<outcome_receipt>> commit(const commit_batch& batch) = 0;

  virtual result<std::unique_ptr<graph_snapshot>> snapshot() const = 0;

  /// Counted up and stored when the store is opened for writing; 0 for a reader.
  virtual uint32_t incarnation() const = 0;

  /// An id above all that were ever given, durable before it returns. Curator only.
  virtual result<exploration_id> new_exploration_id() = 0;
};

}  // namespace kope
