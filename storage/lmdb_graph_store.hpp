// The experience graph on disk: one directory with the database and the writer's lock.
#pragma once

#include <memory>
#include <string>

#include "storage/graph_on_tables.hpp"
#include "storage/graph_store.hpp"

namespace kope {

/// `write` makes the directory and the store where there are none, takes the directory's writer.lock for the life of
/// the store, and counts the incarnation up. `read` opens beside a writer and changes nothing.
/// errc::busy names another writer; errc::not_found: a reader, and no store there; errc::invalid_input: not a
/// database, or of a newer format; errc::disk_full: no room to open for writing.
result<std::unique_ptr<graph_store>> open_lmdb_graph_store(const std::string& directory, store_access access);

}  // namespace kope
