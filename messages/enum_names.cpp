#include "messages/enum_names.hpp"

#include <cctype>

namespace kope {

std::string snake_case(std::string_view camel) {
  std::string snake;
  for (char c : camel) {
    if (std::isupper(static_cast<unsigned char>(c))) {
      snake += '_';
      snake += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      snake += c;
    }
  }
  return snake;
}

namespace enum_text {

std::string name_of(capnp::EnumSchema schema, uint16_t ordinal) {
  auto values = schema.getEnumerants();
  if (ordinal >= values.size()) return "unknown_" + std::to_string(ordinal);
  return snake_case(values[ordinal].getProto().getName().cStr());
}

std::optional<uint16_t> ordinal_of(capnp::EnumSchema schema, std::string_view snake) {
  for (auto value : schema.getEnumerants())
    if (snake_case(value.getProto().getName().cStr()) == snake) return value.getOrdinal();
  return std::nullopt;
}

}  // namespace enum_text
}  // namespace kope
