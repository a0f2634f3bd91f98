#include "toolchains/readable_text.hpp"

namespace kope {
namespace {

// Length of a terminal escape that starts at text[0] == ESC: CSI "[…letter", OSC "]…BEL or ESC \", else two bytes.
size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    size_t at = 2;
    while (at < text.size() && (text[at] < 0x40 || text[at] > 0x7e)) ++at;
    return std::min(at + 1, text.size());
  }
  if (text[1] == ']') {
    for (size_t at = 2; at < text.size(); ++at) {
      if (text[at] == '\a') return at + 1;
      if (text[at] == '\n') return at;  // not closed on its line: no escape swallows the rest of an output
      if (text[at] == '\x1b' && at + 1 < text.size() && text[at + 1] == '\\') return at + 2;
    }
    return text.size();
  }
  return 2;
}

// Length of the well-formed UTF-8 sequence at text[0], 0 if there is none (Unicode 15, table 3-7).
size_t sequence_length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  if (first < 0x80) return 1;
  size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                  : (first & 0xf0) == 0xe0         ? 3
                  : first >= 0xf0 && first <= 0xf4 ? 4
                                                   : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  bool surrogate = first == 0xed && byte(1) > 0x9f;
  bool beyond = first == 0xf4 && byte(1) > 0x8f;
  return overlong || surrogate || beyond ? 0 : length;
}

}  // namespace

std::string readable_text(std::string_view raw, size_t bytes_max) {
  std::string out;
  out.reserve(std::min(raw.size(), bytes_max));
  auto room_for = [&](size_t bytes) { return out.size() + bytes <= bytes_max; };
  while (!raw.empty()) {
    unsigned char first = static_cast<unsigned char>(raw[0]);
    size_t length = 1;
    if (first == 0x1b) {
      length = escape_length(raw);
    } else if (first >= 0x20 || first == '\n' || first == '\t') {
      length = sequence_length(raw);
      std::string_view shown = length ? raw.substr(0, length) : std::string_view("\xef\xbf\xbd");
      if (!room_for(shown.size())) break;
      if (first != 0x7f) out += shown;
      if (length == 0) length = 1;
    }
    raw.remove_prefix(length);
  }
  return out;
}

}  // namespace kope
