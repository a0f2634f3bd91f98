// Arithmetic over a task's size symbols, e.g. "2 * m * n * k". Any thread. config/ alone uses muparser.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "messages/result.hpp"

namespace kope {

struct named_value {
  std::string name;
  double value = 0;
};

/// + - * / ^, brackets, comparisons, ?:, and muparser's functions (min, max, log2, ...). errc::invalid_input names what
/// is wrong with the text, or that its value is negative or not finite.
result<double> evaluate_formula(const std::string& text, std::span<const named_value> values);

}  // namespace kope
