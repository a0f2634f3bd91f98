// The screen of an artifact before it is loaded: what a shared object may hold, import and export, read from its bytes
// as the loader would read them (program headers and the dynamic table; section headers are for linkers and not
// believed). Pure, any thread, never loads or runs anything.
//
// It is no boundary, the runner's is: an artifact can make any system call with three instructions. The screen keeps
// code from running before the runner says so (constructors, resolvers, libraries), and turns what no kernel needs into
// a refusal that names it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kope {

/// Why this artifact must not be loaded, one phrase without a subject ("runs code when it is loaded (.init_array)"), or
/// nothing. Takes any bytes: every offset and count is checked before it is used. Linear in the artifact's size.
std::optional<std::string> screen_artifact(std::span<const std::byte> artifact);

/// Whether an artifact may take this name from a library, and this library at all (artifact_imports.cpp has the
/// reasons).
bool import_allowed(std::string_view name);
bool library_allowed(std::string_view name);

}  // namespace kope
