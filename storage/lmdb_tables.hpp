// Tables in LMDB. lmdb_tables.cpp is the only file that includes lmdb.h.
//
// One environment a process and directory: opening one twice and closing one of them would drop the process's file
// locks, and another process would then overwrite pages under our snapshots. So writers and readers of a directory
// inside one process share one environment, which closes with the last of them.
#pragma once

#include <memory>
#include <string>

#include "storage/tables.hpp"

namespace kope {

enum class table_access { write, read };

class lmdb_tables : public tables {
public:
  /// Highest number of reader slots in use at once so far; slots of ended processes count until they are cleared,
  /// which happens at every opening and with every 256th commit.
  virtual uint32_t reader_slots() const = 0;
};

/// Errors as open_lmdb_graph_store says.
result<std::unique_ptr<lmdb_tables>> open_lmdb_tables(const std::string& directory, table_access access);

}  // namespace kope
