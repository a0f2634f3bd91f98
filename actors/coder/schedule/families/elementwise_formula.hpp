// A task's formula as C++ over vectors. Arithmetic (+ - * / and brackets), numbers, the inputs' names, exp, tanh and
// erf. Written by people and by nobody trusted: what is not of this grammar never reaches a source. Pure, any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace kope {

struct vector_formula {
  std::string text;  ///< an expression of vec; inputs are called by their names with _ behind
  bool number = false, exp = false, tanh = false, erf = false;  ///< what it calls: number, exp_of, tanh_of, erf_of
};

/// errc::invalid_input says what is wrong and where. Every input has to be in it.
result<vector_formula> translate_formula(std::string_view formula, std::span<const std::string> inputs);

}  // namespace kope
