#include "config/formula.hpp"

#include <muParser.h>

#include <cmath>

namespace kope {

result<double> evaluate_formula(const std::string& text, std::span<const named_value> values) {
  double value = 0;
  try {
    mu::Parser parser;
    // Constants, not variables: "m = 3" is then an error and not an assignment.
    for (auto& [name, number] : values) parser.DefineConst(name, number);
    parser.SetExpr(text);
    int results = 0;
    auto all = parser.Eval(results);
    if (results != 1) return error{errc::invalid_input, "'" + text + "' has several values, one is wanted"};
    value = all[0];
  } catch (const mu::ParserError& e) {
    return error{errc::invalid_input, "'" + text + "' is not a formula of the sizes: " + e.GetMsg()};
  }
  if (!std::isfinite(value) || value < 0)
    return error{errc::invalid_input, "'" + text + "' is not a finite number from 0 up for the sizes of a case"};
  return value;
}

}  // namespace kope
