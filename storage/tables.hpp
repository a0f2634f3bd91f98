// Ordered tables of bytes: what the graph's semantics (graph_on_tables) need from a database, and no more. lmdb_tables
// and memory_tables fill it. Keys are 1 to 511 bytes and compare byte by byte; values may be empty.
//
// Who may call what: one write transaction at a time, begun and ended on one thread. begin_read() from any thread; a
// reader is used by one thread and dropped soon. A thread that has a write transaction open must not begin a reader.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace kope {

enum class table : uint8_t {
  meta,          ///< format, incarnation, clock
  tasks,         ///< by text key
  targets,       ///< by text key
  toolchains,    ///< by text key
  sources,       ///< by content hash, zstd
  explorations,  ///< by id
  open,          ///< by attempt id
  attempts,      ///< by attempt id
  timeline,      ///< exploration, step -> attempt id
  normal,        ///< exploration, normalised source -> attempt id
  edges_from,    ///< edges by the end they leave
  edges_to,      ///< edges by the end they reach
  limits,        ///< target, moment
};
constexpr size_t table_count = 13;

/// As in the database file.
constexpr std::string_view table_name(table which) {
  constexpr std::array<std::string_view, table_count> names = {
      "meta",     "tasks",    "targets", "toolchains", "sources",  "explorations", "open",
      "attempts", "timeline", "normal",  "edges_from", "edges_to", "limits"};
  return names[static_cast<size_t>(which)];
}

/// Both ends belong to it; an empty end is open.
struct key_range {
  std::string first;
  std::string last;
};
enum class scan_order { ascending, descending };

/// Sees one row; false ends the scan. Must not write. Its arguments are gone when it returns.
using row_visitor = std::function<bool(std::string_view key, std::string_view value)>;

/// A consistent view of one moment, which may outlive its tables. Inside a write transaction it sees that transaction's
/// own rows.
class table_reader {
public:
  virtual ~table_reader() = default;
  /// The bytes stay valid until the next put or erase, at most until the reader ends; they have any alignment.
  virtual result<std::optional<std::string_view>> get(table which, std::string_view key) const = 0;
  /// Cost: the rows visited.
  virtual result<unit> scan(table which, const key_range& range, scan_order order, const row_visitor& visit) const = 0;
  /// Cost: none, nothing is scanned.
  virtual result<uint64_t> rows(table which) const = 0;
  virtual uint64_t bytes_on_disk() const = 0;  ///< of all tables, now; 0 in memory
};

/// Dropped without commit(): nothing was written.
class table_writer : public table_reader {
public:
  virtual result<unit> put(table which, std::string_view key, std::string_view value) = 0;  ///< inserts or replaces
  virtual result<unit> erase(table which, std::string_view key) = 0;                        ///< no row: nothing to do
  /// Durable when it returns. Once, and nothing after it. errc::disk_full: nothing was written, later ones may succeed.
  virtual result<unit> commit() = 0;
};

class tables {
public:
  virtual ~tables() = default;
  virtual result<std::unique_ptr<table_writer>> begin_write() = 0;
  virtual result<std::unique_ptr<table_reader>> begin_read() const = 0;
  virtual std::string place() const = 0;  ///< for error messages, e.g. "store /data/graph"
};

}  // namespace kope
