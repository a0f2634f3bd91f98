// Pragmas before the innermost loops of a text in C. Pure, any thread; any text.
#pragma once

#include <string>
#include <string_view>

namespace kope {

/// `text` with `lines` (whole lines, each with its newline) before every `for` that holds no other loop. A loop that a
/// macro makes has no place of its own and is left alone. The rest of the text is unchanged.
std::string with_loop_pragmas(std::string_view text, std::string_view lines);

}  // namespace kope
