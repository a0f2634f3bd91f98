// An experience graph that ends with the process: for tests, and for `eval`, which keeps nothing.
#pragma once

#include <memory>

#include "storage/graph_store.hpp"

namespace kope {

/// Empty, open for writing, incarnation 1.
std::unique_ptr<graph_store> make_memory_graph_store();

}  // namespace kope
