#include "config/task_values.hpp"

#include <cctype>

namespace kope {
namespace {

// A family asks for one to three; the bound is there because files come from people.
constexpr size_t attributes_max = 16;

}  // namespace

bool is_identifier(std::string_view text) {
  if (text.empty() || text.size() > name_length_max || !std::islower(static_cast<unsigned char>(text[0]))) return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_'; });
}

std::string identifier_of(const strict_table& table, std::string_view key) {
  auto text = table.text(key);
  if (!is_identifier(text))
    table.fail(
        key, "'" + std::string(key) + "' is not a name of lower-case letters, digits and _ that begins with a letter");
  return text;
}

std::vector<task_attribute> attributes_of(const strict_table& top) {
  std::vector<task_attribute> attributes;
  if (!top.has("attributes")) return attributes;
  const auto names = top.keys_of("attributes", attributes_max);
  const std::vector<std::string_view> views(names.begin(), names.end());
  auto table = top.table("attributes", views);
  for (auto& name : names) {
    if (!is_identifier(name))
      table.fail(name, "attribute '" + name.substr(0, name_length_max) +
                           "' is not a name of lower-case letters, digits and _ that begins with a letter");
    attributes.push_back({name, table.text(name)});
  }
  return attributes;
}

}  // namespace kope
