#include "storage/graph_keys.hpp"

#include <algorithm>

#include "messages/content_hash.hpp"

namespace kope::graph_keys {
namespace {

constexpr size_t hash_bytes = 32;
constexpr char hex_digits[] = "0123456789abcdef";

template <class Number>
std::string big_endian(Number value) {
  std::string bytes(sizeof(Number), '\0');
  for (size_t i = sizeof(Number); i-- > 0; value = static_cast<Number>(value >> 8))
    bytes[i] = static_cast<char>(value & 0xff);
  return bytes;
}

template <class Number>
std::optional<Number> from_big_endian(std::string_view bytes) {
  if (bytes.size() != sizeof(Number)) return std::nullopt;
  Number value = 0;
  for (char byte : bytes) value = static_cast<Number>(value << 8 | static_cast<unsigned char>(byte));
  return value;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string number32(uint32_t value) { return big_endian(value); }
std::string number64(uint64_t value) { return big_endian(value); }
std::optional<uint32_t> to_number32(std::string_view bytes) { return from_big_endian<uint32_t>(bytes); }
std::optional<uint64_t> to_number64(std::string_view bytes) { return from_big_endian<uint64_t>(bytes); }

std::optional<std::string> of_source(std::string_view hash) {
  if (hash.size() != 2 * hash_bytes) return std::nullopt;
  std::string key;
  key.reserve(hash_bytes);
  for (size_t i = 0; i < hash.size(); i += 2) {
    int high = digit(hash[i]), low = digit(hash[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    key += static_cast<char>(high << 4 | low);
  }
  return key;
}

std::string of_text(std::string_view text) { return *of_source(content_hash(text)); }

std::string of_limits(std::string_view target_key, double unix_seconds) {
  return of_text(target_key) + number64(static_cast<uint64_t>(unix_seconds * 1000));
}

std::string of(const timeline_key& key) { return number64(key.exploration.value) + number64(key.step); }

std::optional<timeline_key> to_timeline_key(std::string_view bytes) {
  if (bytes.size() != 16) return std::nullopt;
  return timeline_key{exploration_id{*to_number64(bytes.substr(0, 8))}, *to_number64(bytes.substr(8))};
}

std::string of_normal_hash(exploration_id exploration, std::string_view normal_hash) {
  return number64(exploration.value) + of_text(normal_hash);
}

std::string of(const edge_key& key) {
  return number64(key.end.value) + static_cast<char>(key.kind) + number64(key.step) + number64(key.other_end.value);
}

std::optional<edge_key> to_edge_key(std::string_view bytes) {
  if (bytes.size() != 25) return std::nullopt;
  return edge_key{attempt_id{*to_number64(bytes.substr(0, 8))},
                  static_cast<edge_kind>(static_cast<unsigned char>(bytes[8])), *to_number64(bytes.substr(9, 8)),
                  attempt_id{*to_number64(bytes.substr(17))}};
}

std::string shown(std::string_view key) {
  bool printable = std::all_of(key.begin(), key.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (printable) return std::string(key);
  std::string text;
  for (char c : key) {
    text += hex_digits[static_cast<unsigned char>(c) >> 4];
    text += hex_digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

}  // namespace kope::graph_keys
