#include "storage/lmdb_graph_store.hpp"

#include "storage/lmdb_tables.hpp"

namespace kope {

result<std::unique_ptr<graph_store>> open_lmdb_graph_store(const std::string& directory, store_access access) {
  auto opened = open_lmdb_tables(directory, access == store_access::write ? table_access::write : table_access::read);
  if (!opened) return opened.failure();
  return open_graph_on_tables(std::move(*opened), access);
}

}  // namespace kope
