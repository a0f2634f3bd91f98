// What task files are made of beside numbers: names, words of the schema, attributes. Used by task_files.cpp alone;
// throws bad_file as all reading inside config/ does. Any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "config/toml_reader.hpp"
#include "messages/enum_names.hpp"

namespace kope {

constexpr size_t name_length_max = 64;

/// Lower-case letters, digits and _, a letter first, at most name_length_max: what a C parameter may be called.
bool is_identifier(std::string_view text);
std::string identifier_of(const strict_table& table, std::string_view key);

struct task_attribute {
  std::string name;
  std::string value;
};

/// The table [attributes] in order of names; none when it is absent. Their meaning is the family's business: this room
/// knows no family.
std::vector<task_attribute> attributes_of(const strict_table& top);

template <class E>
std::vector<std::string> enum_names() {
  std::vector<std::string> names;
  auto values = capnp::Schema::from<E>().getEnumerants();
  for (uint16_t i = 0; i < values.size(); ++i) names.push_back(enum_name(static_cast<E>(i)));
  return names;
}

template <class E>
E enum_of(const strict_table& table, std::string_view key) {
  auto text = table.text(key);
  if (auto value = enum_value<E>(text)) return *value;
  auto names = enum_names<E>();
  std::vector<std::string_view> views(names.begin(), names.end());
  table.fail(key, "'" + std::string(key) + "' is '" + text.substr(0, name_length_max) + "', not " + listed(views));
}

}  // namespace kope
