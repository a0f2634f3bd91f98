// Strong ids. An exploration id is a serial number of the store; an attempt id is its exploration's number in the high
// 32 bits and the attempt's own number in the low 32, so ids of one exploration rise with time without asking anybody.
// In messages and JSON an id is 16 hex digits, because JSON numbers cannot hold 64 bits.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kope {

std::string hex_of(uint64_t value);                            ///< 16 lower-case digits
std::optional<uint64_t> hex_to_number(std::string_view text);  ///< exactly 16 hex digits, else nothing

template <class Tag>
struct strong_id {
  uint64_t value = 0;  ///< 0 is "none"

  auto operator<=>(const strong_id&) const = default;
  explicit operator bool() const { return value != 0; }
  std::string text() const { return value ? hex_of(value) : std::string(); }

  /// Empty text is the id "none"; anything else that is not 16 hex digits is nothing.
  static std::optional<strong_id> parse(std::string_view text) {
    if (text.empty()) return strong_id{};
    auto number = hex_to_number(text);
    if (!number) return std::nullopt;
    return strong_id{*number};
  }
};

using exploration_id = strong_id<struct exploration_tag>;
using attempt_id = strong_id<struct attempt_tag>;

inline attempt_id make_attempt_id(exploration_id exploration, uint32_t number) {
  return attempt_id{exploration.value << 32 | number};
}
inline exploration_id exploration_of(attempt_id attempt) { return exploration_id{attempt.value >> 32}; }

}  // namespace kope
