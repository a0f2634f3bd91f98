// What of a source decides what it does, for finding duplicates before the compiler: the text without comments and
// without white space that separates nothing. Pure, any thread. Text that is not C++ gets some normal form too.
//
// Two sources with the same normal form compile alike (but for __LINE__). Kept as they are: strings, characters and raw
// strings; one space where two tokens would become another token ("int a", "a + +b"); a preprocessor line as a line,
// its runs of spaces as one ("#define F (x)" is not "#define F(x)").
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kope {

std::string normal_form(std::string_view source);

/// SHA-256 of normal form and flags: Candidate.normalHash.
std::string normal_hash(std::string_view source, std::span<const std::string> flags);

}  // namespace kope
