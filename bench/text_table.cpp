#include "bench/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "messages/result.hpp"

namespace kope::bench {

text_table::text_table(std::vector<std::string> titles) { lines_.push_back(std::move(titles)); }

void text_table::add(std::vector<std::string> cells) {
  check(cells.size() == lines_.front().size(), "a row has a cell for each column");
  lines_.push_back(std::move(cells));
}

std::string text_table::text() const {
  std::string all;
  for (const auto& line : lines_) {
    std::string row;
    for (size_t column = 0; column < line.size(); ++column) {
      size_t width = 0;
      for (const auto& other : lines_) width = std::max(width, other[column].size());
      std::string fill(width - line[column].size(), ' ');
      bool left = column == 0 || column + 1 == line.size();
      row += (column == 0 ? "" : "  ") + (left ? line[column] + fill : fill + line[column]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    all += row + '\n';
  }
  return all;
}

std::string number_text(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string short_number(double value) {
  double size = std::abs(value);
  if (size >= 100 || size == 0) return number_text(value, 0);
  if (size >= 10) return number_text(value, 1);
  if (size >= 0.1) return number_text(value, 2);
  return number_text(value, 4);
}

}  // namespace kope::bench
