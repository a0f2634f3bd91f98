// A first look at a reference's text: does it define the prototype that its task file promises? The compiler has the
// last word; this gives a sentence about the task where the compiler would give pages about a generated unit. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace kope {

struct expected_parameter {
  std::string name;
  bool constant = false;  ///< what it points to must be const: an input
  bool pointer = false;
};

/// errc::invalid_input says how the definition of `kernel` differs from these parameters, in this order. In C
/// it has no extern "C", and the last definition counts: what comes before is a user's own file.
result<unit> check_reference_text(std::string_view text, std::span<const expected_parameter> wanted, bool in_c = false);

/// `text` with comments replaced by spaces, lines kept; strings are left alone.
std::string without_comments(std::string_view text);

}  // namespace kope
