#include "storage/memory_graph_store.hpp"

#include "storage/graph_on_tables.hpp"
#include "storage/memory_tables.hpp"

namespace kope {

std::unique_ptr<graph_store> make_memory_graph_store() {
  auto store = open_graph_on_tables(make_memory_tables(), store_access::write);
  check(store.ok(), "empty tables in memory make a store");
  return std::move(*store);
}

}  // namespace kope
