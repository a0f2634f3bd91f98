// Functions of a translation unit from the debug information that the compiler itself wrote, as `readelf
// --debug-dump=info` prints it. No grammar of C of our own: typedefs, macros, headers and structures are resolved by
// whoever compiles the file. Pure, any thread; the text may be anything.
#pragma once

#include <string_view>
#include <vector>

#include "messages/result.hpp"
#include "toolchains/c_functions.hpp"

namespace kope {

/// Every function with a body, in the unit's order. errc::invalid_input when the
/// text is no such print.
result<std::vector<c_function>> parse_debug_info(std::string_view text);

}  // namespace kope
