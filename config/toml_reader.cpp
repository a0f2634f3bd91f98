#include "config/toml_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "config/nearest_name.hpp"

namespace kope {
namespace {

constexpr size_t text_bytes_max = 4096;  // titles, formulas and paths; a reference is a file of its own

const char* type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

std::string place(const std::string& file, uint32_t line) {
  return line ? file + ":" + std::to_string(line) + ": " : file + ": ";
}

// Text from a file goes into a sentence: one line of it, and not a novel.
std::string quoted(std::string_view text) {
  std::string shown;
  for (char c : text.substr(0, 60)) shown += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  return "'" + shown + (text.size() > 60 ? "...'" : "'");
}

}  // namespace

std::string listed(std::span<const std::string_view> names, std::string_view last) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i) text += i + 1 == names.size() ? " " + std::string(last) + " " : std::string(", ");
    text += names[i];
  }
  return text;
}

std::string read_text_file(const std::filesystem::path& path, size_t bytes_max) {
  std::error_code failed;
  auto status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) throw bad_file(errc::not_found, path.string() + " does not exist");
  if (!std::filesystem::is_regular_file(status))
    throw bad_file(errc::invalid_input, path.string() + " is not a regular file");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw bad_file(errc::io, path.string() + " cannot be opened for reading");
  std::string text(bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) throw bad_file(errc::io, path.string() + " cannot be read");
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > bytes_max)
    throw bad_file(errc::invalid_input, path.string() + " is larger than " + std::to_string(bytes_max >> 10) + " KiB");
  return text;
}

toml::table parse_toml(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    throw bad_file(errc::invalid_input,
                   place(file, e.source().begin.line) + "not valid TOML: " + std::string(e.description()));
  }
}

toml::table parse_toml_file(const std::filesystem::path& path) {
  return parse_toml(read_text_file(path, toml_bytes_max), path.string());
}

strict_table::strict_table(const toml::table& table, std::string file, std::string where,
                           std::span<const std::string_view> known)
  : table_(&table), file_(std::move(file)), where_(std::move(where)) {
  // In the file's order, so that the first complaint is the first mistake.
  const toml::key* unknown = nullptr;
  for (auto&& [key, node] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    if (!unknown || key.source().begin.line < unknown->source().begin.line) unknown = &key;
  }
  if (!unknown) return;
  auto sentence = place(file_, unknown->source().begin.line) + (where_.empty() ? "" : where_ + ": ") + "unknown key " +
                  quoted(unknown->str());
  auto near = nearest_name(unknown->str(), known);
  throw bad_file(errc::invalid_input,
                 sentence + (near.empty() ? std::string(", there are no keys here")
                                          : "; the nearest known key is '" + std::string(near) + "'"));
}

bool strict_table::has(std::string_view key) const { return table_->contains(key); }

void strict_table::fail(std::string_view key, const std::string& what) const {
  auto node = table_->get(key);
  auto line = node ? node->source().begin.line : table_->source().begin.line;
  throw bad_file(errc::invalid_input, place(file_, line) + (where_.empty() ? "" : where_ + ": ") + what);
}

const toml::node& strict_table::need(std::string_view key, const char* type) const {
  auto node = table_->get(key);
  if (!node) fail(key, "the key '" + std::string(key) + "' is missing; it is " + type);
  return *node;
}

void strict_table::wrong_type(std::string_view key, const toml::node& node, const char* wanted) const {
  fail(key, "'" + std::string(key) + "' is " + type_name(node) + " where " + wanted + " is wanted");
}

std::string strict_table::text(std::string_view key) const {
  auto& node = need(key, "a text");
  auto value = node.value_exact<std::string>();
  if (!value) wrong_type(key, node, "a text");
  if (value->empty()) fail(key, "'" + std::string(key) + "' is empty");
  if (value->size() > text_bytes_max) fail(key, "'" + std::string(key) + "' is longer than 4096 bytes");
  // Cap'n Proto texts end at a NUL for C readers.
  if (value->find('\0') != std::string::npos) fail(key, "'" + std::string(key) + "' contains a NUL character");
  return *value;
}

std::string strict_table::text_or(std::string_view key, std::string absent) const {
  return has(key) ? text(key) : absent;
}

int64_t strict_table::whole(std::string_view key, int64_t low, int64_t high) const {
  auto& node = need(key, "a whole number");
  auto value = node.value_exact<int64_t>();
  if (!value) wrong_type(key, node, "a whole number");
  if (*value < low || *value > high)
    fail(key, "'" + std::string(key) + "' is " + std::to_string(*value) + ", outside " + std::to_string(low) + " to " +
                  std::to_string(high));
  return *value;
}

int64_t strict_table::whole_or(std::string_view key, int64_t low, int64_t high, int64_t absent) const {
  return has(key) ? whole(key, low, high) : absent;
}

double strict_table::number(std::string_view key) const {
  auto& node = need(key, "a number");
  if (!node.is_number()) wrong_type(key, node, "a number");
  auto value = node.value<double>();
  if (!value || !std::isfinite(*value)) fail(key, "'" + std::string(key) + "' is not a finite number");
  return *value;
}

double strict_table::number_or(std::string_view key, double absent) const { return has(key) ? number(key) : absent; }

std::vector<std::string> strict_table::texts(std::string_view key, size_t count_max) const {
  auto& node = need(key, "a list of texts");
  auto list = node.as_array();
  if (!list) wrong_type(key, node, "a list of texts");
  if (list->size() > count_max)
    fail(key, "'" + std::string(key) + "' has " + std::to_string(list->size()) + " entries, at most " +
                  std::to_string(count_max) + " are allowed");
  std::vector<std::string> all;
  for (auto&& element : *list) {
    auto value = element.value_exact<std::string>();
    if (!value) fail(key, "'" + std::string(key) + "' holds " + type_name(element) + " where a text is wanted");
    if (value->empty() || value->size() > text_bytes_max || value->find('\0') != std::string::npos)
      fail(key, "'" + std::string(key) + "' holds a text that is empty, longer than 4096 bytes or has a NUL character");
    all.push_back(*value);
  }
  return all;
}

std::vector<std::string> strict_table::texts_or(std::string_view key, size_t count_max) const {
  return has(key) ? texts(key, count_max) : std::vector<std::string>();
}

std::vector<int64_t> strict_table::wholes(std::string_view key, size_t count, int64_t low, int64_t high) const {
  auto& node = need(key, "a list of whole numbers");
  auto list = node.as_array();
  if (!list) wrong_type(key, node, "a list of whole numbers");
  if (list->size() != count)
    fail(key, "'" + std::string(key) + "' has " + std::to_string(list->size()) + " numbers where " +
                  std::to_string(count) + " are wanted");
  std::vector<int64_t> all;
  for (auto&& element : *list) {
    auto value = element.value_exact<int64_t>();
    if (!value) fail(key, "'" + std::string(key) + "' holds " + type_name(element) + " where a whole number is wanted");
    if (*value < low || *value > high)
      fail(key, "'" + std::string(key) + "' holds " + std::to_string(*value) + ", outside " + std::to_string(low) +
                    " to " + std::to_string(high));
    all.push_back(*value);
  }
  return all;
}

strict_table strict_table::table(std::string_view key, std::span<const std::string_view> known) const {
  auto& node = need(key, "a table");
  auto inner = node.as_table();
  if (!inner) wrong_type(key, node, "a table");
  return {*inner, file_, where_.empty() ? "[" + std::string(key) + "]" : where_ + ", " + std::string(key), known};
}

std::vector<std::string> strict_table::keys_of(std::string_view key, size_t count_max) const {
  auto& node = need(key, "a table");
  auto inner = node.as_table();
  if (!inner) wrong_type(key, node, "a table");
  if (inner->size() > count_max)
    fail(key, "'" + std::string(key) + "' has " + std::to_string(inner->size()) + " keys, at most " +
                  std::to_string(count_max) + " are allowed");
  std::vector<std::string> keys;
  for (auto&& [name, value] : *inner) keys.emplace_back(name.str());
  std::sort(keys.begin(), keys.end());
  return keys;
}

size_t strict_table::tables(std::string_view key, size_t count_max) const {
  auto& node = need(key, "a list of tables");
  auto list = node.as_array();
  if (!list || !std::all_of(list->begin(), list->end(), [](auto& element) { return element.is_table(); }))
    wrong_type(key, node, "a list of tables");
  if (list->size() > count_max)
    fail(key, "'" + std::string(key) + "' has " + std::to_string(list->size()) + " entries, at most " +
                  std::to_string(count_max) + " are allowed");
  return list->size();
}

strict_table strict_table::table_at(std::string_view key, size_t index, std::string where,
                                    std::span<const std::string_view> known) const {
  return {*table_->get(key)->as_array()->get(index)->as_table(), file_, std::move(where), known};
}

}  // namespace kope
