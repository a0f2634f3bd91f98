// The graph's semantics over any tables: what both stores are made of. graph_commit has the rules for writing.
#pragma once

#include <memory>

#include "storage/graph_store.hpp"
#include "storage/tables.hpp"

namespace kope {

enum class store_access {
  write,  ///< counts the incarnation up; one writer a store
  read,   ///< commit() and new_exploration_id() are refused
};

/// errc::invalid_input when the tables have a newer format; errc::not_found when a reader finds no graph in them.
result<std::unique_ptr<graph_store>> open_graph_on_tables(std::shared_ptr<tables> tables, store_access access);

}  // namespace kope
