// One batch into one write transaction: the rules by which the graph changes. For one thread.
#pragma once

#include <string>
#include <vector>

#include "storage/graph_rows.hpp"
#include "storage/graph_store.hpp"
#include "storage/tables.hpp"

namespace kope {

/// Checks what can be checked without a transaction: ids, that ids fit each other, that sources have their hash.
/// errc::invalid_input names the offender. A batch that passes can be refused only by the database.
result<unit> check_batch(const commit_batch& batch);

/// Applies a checked batch; the caller commits `writer`, or drops it when this fails.
result<std::vector<outcome_receipt>> apply_batch(const commit_batch& batch, table_writer& writer,
                                                 const std::string& place);

/// The highest id that an exploration can have: it is the upper half of its attempts' ids.
constexpr uint64_t exploration_id_max = 0xffffffff;

}  // namespace kope
