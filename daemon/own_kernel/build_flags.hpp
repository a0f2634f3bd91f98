// A user's own compiler flags, sorted by what becomes of each: how the reference is built, where his headers are, what
// his text is given as definitions, and what has no meaning for one kernel. Pure.
#pragma once

#include <string>
#include <vector>

#include "messages/result.hpp"

namespace kope {

struct build_flags {
  std::vector<std::string> baseline;     ///< -O…, -f…, -m…, --param=…
  std::vector<std::string> directories;  ///< -I
  std::vector<std::string> definitions;  ///< -D, without it
  std::vector<std::string> ignored;      ///< warnings, debug information, libraries, output
};

/// `text` is one line, as in a Makefile: split at white space, quotes keep it. `allowed`: of the toolchain.
/// errc::invalid_input names the flag that cannot be used.
result<build_flags> sort_build_flags(const std::string& text, const std::vector<std::string>& allowed,
                                     const std::string& toolchain);

}  // namespace kope
