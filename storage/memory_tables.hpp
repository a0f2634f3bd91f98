// Tables in memory, for tests and for evaluations that keep nothing. Readers share the rows of their moment; a table
// is copied only when it changes while a reader still holds it.
#pragma once

#include <memory>

#include "storage/tables.hpp"

namespace kope {

std::unique_ptr<tables> make_memory_tables();

}  // namespace kope
