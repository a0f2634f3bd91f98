// Tables for people: columns as wide as their widest cell. Pure, any thread.
#pragma once

#include <string>
#include <vector>

namespace kope::bench {

class text_table {
public:
  explicit text_table(std::vector<std::string> titles);
  /// As many cells as there are titles.
  void add(std::vector<std::string> cells);
  /// The first and the last column are aligned left, the others right; every line ends with a newline and without
  /// spaces.
  std::string text() const;

private:
  std::vector<std::vector<std::string>> lines_;
};

/// `value` with so many decimals, "-" when it is not finite.
std::string number_text(double value, int decimals);

/// Three digits that mean something: 0.0123, 1.23, 12.3, 123.
std::string short_number(double value);

}  // namespace kope::bench
