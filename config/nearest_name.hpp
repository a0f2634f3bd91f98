// The known name that a mistyped one most likely meant, for error sentences. Pure, any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kope {

/// Insertions, deletions, replacements and swaps of neighbours that turn one name into the other.
size_t edit_distance(std::string_view a, std::string_view b);

/// The closest of `known` (the first of equals), whatever its distance; empty when there is none.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace kope
