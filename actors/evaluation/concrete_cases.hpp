// From a task's cases, which speak in size symbols, to numbers: extents, elements, bytes. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/evaluation/case_bank.hpp"
#include "actors/evaluation/input_values.hpp"
#include "messages/result.hpp"
#include "messages/task.capnp.h"

namespace kope {

/// The task's case number `index` with its sizes. errc::invalid_input names the case and the extent that is neither a
/// size symbol nor a number, or the size that is missing.
result<concrete_case> resolve_case(wire::Task::Reader task, size_t index);

/// A shape from the task's drawn ranges, its fills from one of the listed cases; the same for the same `random`. A task
/// without ranges draws one of its listed shapes. `number` tells drawn cases apart.
result<concrete_case> draw_case(wire::Task::Reader task, uint64_t random, uint64_t number);

/// The sizes of this case with the inputs of other listed cases: those that have the widest range of values, and those
/// that lie furthest to one side of zero; fewer where they are the case's own. None for a task with an input of whole
/// numbers, which may be indices into something of another size. A kernel that knows the shapes that are timed must be
/// right on them for more than the tame inputs that are timed.
result<std::vector<concrete_case>> refilled_cases(wire::Task::Reader task, const concrete_case& of);

/// How input tensor `input` (counted among inputs) of this case is filled.
fill_spec fill_of(wire::Task::Reader task, const concrete_case& c, size_t input);

/// The same slot as the oracle sees it: outputs of the task's element type as double. Inputs stay as they are.
slot_layout oracle_layout(wire::Task::Reader task, const concrete_case& c);

/// True when the oracle has this tensor as double where candidates have the task's type.
bool oracle_widens(wire::Task::Reader task, wire::Tensor::Reader tensor);

/// Memory of one slot, whole pages a tensor.
size_t slot_bytes(const slot_layout& layout);

/// Most slots of this layout that a session may have.
size_t slots_that_fit(const slot_layout& layout);

}  // namespace kope
