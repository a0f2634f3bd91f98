// Sums of products of names with whole coefficients: what an index of a loop nest and the extent of an array are.
// Pure values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/coder/flags/c_tokens.hpp"

namespace kope {

class size_formula {
public:
  using term = std::vector<std::string>;  ///< names, sorted; empty: the constant

  size_formula() = default;
  static size_formula of(int64_t value);
  static size_formula of(const std::string& name);

  size_formula operator+(const size_formula& other) const;
  size_formula operator-(const size_formula& other) const;
  size_formula operator*(const size_formula& other) const;
  bool operator==(const size_formula& other) const = default;

  const std::map<term, int64_t>& terms() const { return terms_; }
  std::vector<std::string> names() const;
  /// Every `name` replaced.
  size_formula with(const std::string& name, const size_formula& value) const;
  /// Every name has the value that `value_of` gives.
  double value(const std::map<std::string, double>& values) const;
  /// Its factors where it is one product: {"m", "k"}, {"3", "n"}; nothing where it is a sum or below 1.
  std::optional<std::vector<std::string>> factors() const;
  std::string text() const;  ///< "m * k + 1"

private:
  void add(const term& of, int64_t coefficient);
  std::map<term, int64_t> terms_;  // bounded by terms_max in operator*
};

/// Tokens [begin, end) of an expression of names, whole numbers, + - * and brackets; casts and field accesses
/// (p->n, p.n: the name "p.n") are understood. Nothing for everything else.
std::optional<size_formula> parse_size_formula(const std::vector<c_token>& tokens, size_t begin, size_t end);
std::optional<size_formula> parse_size_formula(std::string_view text);

}  // namespace kope
