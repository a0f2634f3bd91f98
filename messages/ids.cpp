#include "messages/ids.hpp"

#include <charconv>

namespace kope {

std::string hex_of(uint64_t value) {
  static const char digits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, value >>= 4) text[static_cast<size_t>(i)] = digits[value & 15];
  return text;
}

std::optional<uint64_t> hex_to_number(std::string_view text) {
  if (text.size() != 16) return std::nullopt;
  uint64_t value = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace kope
