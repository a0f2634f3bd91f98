#include "actors/coder/schedule/families/elementwise_formula.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace kope {
namespace {

constexpr size_t formula_bytes_max = 1024;  // the longest of the operator list has 80
constexpr int nesting_max = 32;             // each level is a call of ours

struct wrong_formula {
  std::string what;
};

class translation {
public:
  translation(std::string_view formula, std::span<const std::string> inputs) : text_(formula), inputs_(inputs) {}

  vector_formula whole() {
    made_.text = sum();
    if (at_ < text_.size()) fail("'" + std::string(1, text_[at_]) + "' does not belong there");
    for (auto& input : inputs_)
      if (!used_.count(input)) fail("the input '" + input + "' is not in it");
    return std::move(made_);
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw wrong_formula{what + ", at character " + std::to_string(std::min(at_, text_.size()) + 1)};
  }

  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  std::string sum() {
    if (++depth_ > nesting_max) fail("brackets are nested too deeply");
    std::string left = product();
    for (char c = next(); c == '+' || c == '-'; c = next()) {
      ++at_;
      left += std::string(" ") + c + " " + product();
    }
    --depth_;
    return left;
  }

  std::string product() {
    std::string left = factor();
    for (char c = next(); c == '*' || c == '/'; c = next()) {
      ++at_;
      left += std::string(" ") + c + " " + factor();
    }
    return left;
  }

  std::string factor() {
    if (next() == '-') {
      ++at_;
      if (++depth_ > nesting_max) fail("too many signs in a row");
      auto negated = "(-" + factor() + ")";
      --depth_;
      return negated;
    }
    if (next() == '(') {
      ++at_;
      auto inner = sum();
      close();
      return "(" + inner + ")";
    }
    if (std::isdigit(static_cast<unsigned char>(next()))) return number();
    if (std::islower(static_cast<unsigned char>(next()))) return word();
    fail(at_ < text_.size() ? "'" + std::string(1, text_[at_]) + "' does not begin a value" : "a value is missing");
  }

  void close() {
    if (next() != ')') fail("a ')' is missing");
    ++at_;
  }

  std::string number() {
    const size_t begin = at_;
    auto digits = [this] {
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      digits();
    }
    if (at_ < text_.size() && text_[at_] == 'e') {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
      if (at_ >= text_.size() || !std::isdigit(static_cast<unsigned char>(text_[at_]))) fail("an exponent is missing");
      digits();
    }
    const float value = std::strtof(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr);
    if (!std::isfinite(value)) fail("a number is beyond f32");
    char written[32];
    std::snprintf(written, sizeof written, "%.9g", static_cast<double>(value));
    std::string digits_of = written;
    if (digits_of.find_first_of(".e") == std::string::npos) digits_of += ".0";
    made_.number = true;
    return "number(" + digits_of + "f)";
  }

  std::string word() {
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (std::find(inputs_.begin(), inputs_.end(), name) != inputs_.end()) {
      used_.insert(name);
      return name + "_";
    }
    if (bool* called = function(name)) {
      *called = true;
      if (next() != '(') fail("'" + name + "' is a function and needs a '('");
      ++at_;
      auto argument = sum();
      close();
      return name + "_of(" + argument + ")";
    }
    at_ = begin;
    fail("'" + name.substr(0, 64) + "' is neither an input of the task nor exp, tanh or erf");
  }

  bool* function(std::string_view name) {
    if (name == "exp") return &made_.exp;
    if (name == "tanh") return &made_.tanh;
    return name == "erf" ? &made_.erf : nullptr;
  }

  std::string_view text_;
  std::span<const std::string> inputs_;
  size_t at_ = 0;
  int depth_ = 0;
  std::set<std::string> used_;
  vector_formula made_;
};

}  // namespace

result<vector_formula> translate_formula(std::string_view formula, std::span<const std::string> inputs) {
  if (formula.size() > formula_bytes_max)
    return error{errc::invalid_input,
                 "the formula is longer than " + std::to_string(formula_bytes_max) + " characters"};
  try {
    return translation(formula, inputs).whole();
  } catch (const wrong_formula& wrong) {
    return error{errc::invalid_input,
                 "the formula '" + std::string(formula.substr(0, 128)) + "' is wrong: " + wrong.what};
  }
}

}  // namespace kope
