// Reading the graph's rows out of any table_reader: decoding, and errors that name store, table and key. Shared by
// snapshots and by commits. For one thread, like the reader.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "storage/graph_keys.hpp"
#include "storage/tables.hpp"

namespace kope {

/// Of the tables, keys and values together; counted up when a kope that knows only the old one would misread a store.
constexpr uint32_t graph_format_version = 1;

class graph_rows {
public:
  /// `place` is tables::place(). Both must outlive this.
  graph_rows(const table_reader& reader, const std::string& place) : reader_(reader), place_(place) {}

  error corrupt(table which, std::string_view key, const std::string& why) const;

  template <class Record>
  result<Record> decode(table which, std::string_view key, std::string_view value) const {
    auto record = Record::from_bytes(std::as_bytes(std::span(value)));
    if (!record) return corrupt(which, key, record.failure().what);
    return record;
  }

  template <class Record>
  result<std::optional<Record>> find(table which, std::string_view key) const {
    auto value = reader_.get(which, key);
    if (!value) return value.failure();
    if (!*value) return std::optional<Record>();
    auto record = decode<Record>(which, key, **value);
    if (!record) return record.failure();
    return std::optional<Record>(std::move(*record));
  }

  /// The attempt, after checking that the row holds the attempt that its key says.
  result<std::optional<attempt_record>> attempt(attempt_id id) const;
  result<std::optional<attempt_id>> attempt_by_normal_hash(exploration_id exploration, std::string_view hash) const;
  result<std::optional<std::string>> source(std::string_view hash) const;  ///< checked against its hash

  /// A row of `meta`; `otherwise` when there is none.
  result<uint64_t> meta_number64(std::string_view row, uint64_t otherwise) const;
  result<uint32_t> meta_number32(std::string_view row, uint32_t otherwise) const;

  /// Ok when the store has this kope's format or none yet; errc::invalid_input names a newer one.
  result<unit> check_format() const;

private:
  const table_reader& reader_;
  const std::string& place_;
};

}  // namespace kope
