// Where a user's own file begins and ends in the text of a reference in C: what follows is the adapter. `kope best
// --export` cuts his file out by it. Constants.
#pragma once

#include <string_view>

namespace kope {

constexpr std::string_view own_part_begins = "// ---- your file, with your own headers put in\n";
constexpr std::string_view own_part_ends = "// ---- the adapter: the prototype of the task calls your function\n";
/// Within it: a header of his own that was put in (the line that included it follows), and what -D gave.
constexpr std::string_view inlined_begins = "// ---- put in for: ";
constexpr std::string_view defined_begins = "// ---- given by -D";
constexpr std::string_view inlined_ends = "// ---- end";

}  // namespace kope
