// Text of enums through the schema: no converter is written by hand. Schema names are camelCase, people read
// snake_case: timedOut <-> "timed_out".
#pragma once

#include <capnp/schema.h>

#include <optional>
#include <string>
#include <string_view>

namespace kope {

std::string snake_case(std::string_view camel);

namespace enum_text {
std::string name_of(capnp::EnumSchema schema, uint16_t ordinal);
std::optional<uint16_t> ordinal_of(capnp::EnumSchema schema, std::string_view snake);
}  // namespace enum_text

/// Text of a value; one that a newer writer added reads as "unknown_<ordinal>".
template <class E>
std::string enum_name(E value) {
  return enum_text::name_of(capnp::Schema::from<E>(), static_cast<uint16_t>(value));
}

template <class E>
std::optional<E> enum_value(std::string_view snake) {
  auto ordinal = enum_text::ordinal_of(capnp::Schema::from<E>(), snake);
  if (!ordinal) return std::nullopt;
  return static_cast<E>(*ordinal);
}

}  // namespace kope
