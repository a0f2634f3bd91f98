// Texts that go with an exported winner: a program that tests it without kope, a guard for machines that lack its
// instructions, and, for a user's own file, a patch. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "messages/task.capnp.h"

namespace kope {

/// C or C++ like the task: `int kernel_supported(void)`, built without -march: 1 when this CPU has every extension of
/// `isa` that the compiler can ask for.
std::string isa_guard_text(const std::vector<std::string>& isa);

/// A main that runs kernel and reference on the visible and timed cases with random values and compares; exit code 0,
/// or 1 with what differed. It is linked with kernel, reference and guard.
std::string test_program_text(wire::Task::Reader task);

/// The reference under the name kernel_reference, to be compiled as one unit of its own.
std::string test_reference_text(wire::Task::Reader task);

/// The user's file as he has it: of a reference or a winner in C, without the adapter, his headers as #include lines
/// again. Empty when the text is no such one.
std::string own_file_of(std::string_view text);

/// Unified diff from `before` to `after`, empty when they are equal. `name`: of the file.
std::string patch_text(std::string_view before, std::string_view after, const std::string& name);

}  // namespace kope
