// Turns a task's prototype into what surrounds a candidate in its translation unit. Pure, any thread.
//
// A candidate defines the prototype (`signature`); the runner calls one entry for every task:
//   extern "C" void kope_entry(const void* const* inputs, void* const* outputs, const int64_t* sizes);
// The prologue declares the prototype before the candidate, so that a definition without extern "C" gets C linkage too;
// the epilogue defines the entry. Diagnostics name the candidate's own lines (#line).
#pragma once

#include <string>

#include "messages/task.capnp.h"
#include "toolchains/compiler.hpp"

namespace kope {

// A task in C has surroundings of its own (c_kernel_shim.hpp); the functions below choose.

/// One line: extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k);
std::string signature(wire::Task::Reader task);

/// What candidates and the reference of a task are compiled as.
source_language language_of(wire::Task::Reader task);

struct surrounding {
  std::string prologue;
  std::string epilogue;
};

/// For a candidate.
surrounding candidate_surrounding(wire::Task::Reader task);
/// For the reference as baseline: `real` is the task's element type. Nothing tells the compiler more than a candidate's
/// prototype does.
surrounding baseline_surrounding(wire::Task::Reader task);
/// For the reference as oracle: `real` is double. Its entry gets inputs in the task's own types and widens them itself;
/// outputs of the task's element type are double in the slot. The reference is inlined into a function with restrict
/// pointers, once for the sizes of each timed case, because only its results count and it runs dozens of times.
surrounding oracle_surrounding(wire::Task::Reader task);

}  // namespace kope
