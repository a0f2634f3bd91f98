// The best parameters that earlier explorations of this target found for the same kind of task: same operator family,
// same element type, nearest sizes first. A recollection is where to look first, never a result: what it names is
// verified and timed again like anything else. Reads a snapshot; any thread, once at the start of an exploration.
#pragma once

#include <vector>

#include "messages/graph.capnp.h"
#include "messages/parcel.hpp"
#include "messages/task.capnp.h"
#include "storage/graph_store.hpp"

namespace kope {

struct recalled_parameters {
  attempt_id from;
  attempt_record attempt;  ///< its parameters are what is recalled
  double distance = 0;     ///< sum over sizes of |log2 of the ratio|: 0 is the same case, 1 one size doubled
  double speedup = 0;      ///< of its exploration's winner; 0 when it was not measured
};

/// Explorations that are looked at, newest first: bounds the cost whatever the history.
constexpr size_t explorations_recalled_max = 1000;
/// More than three starting points from memory would spend a tenth of a usual budget before the search begins.
constexpr size_t recalled_max = 3;

/// At most recalled_max, nearest first, among equally near the fastest; each with other parameters. Explorations of
/// other targets do not count: a foreign machine's speed says next to nothing about this one's.
result<std::vector<recalled_parameters>> recall_parameters(const graph_snapshot& graph,
                                                           wire::ExplorationSpec::Reader spec, wire::Task::Reader of);

}  // namespace kope
