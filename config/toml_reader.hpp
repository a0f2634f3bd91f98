// Strict reading of TOML: every key is known, every value has its type and range, and every complaint is one sentence
// with file and line. Used inside config/ only, which alone owns toml++. Any thread.
//
// Inside config/ a bad file is an exception, because a file of hundreds of values would otherwise need a branch after
// each; the public loaders catch it with `read_strictly` and give a result.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "messages/result.hpp"

namespace kope {

/// Files written by people: the largest shipped one is 8 KiB.
constexpr size_t toml_bytes_max = size_t{1} << 20;

struct bad_file : std::runtime_error {
  bad_file(errc code, std::string sentence) : std::runtime_error(std::move(sentence)), code(code) {}
  errc code;
};

/// A file of people's text, at most `bytes_max`; throws bad_file (not_found, io, invalid_input).
std::string read_text_file(const std::filesystem::path& path, size_t bytes_max);

toml::table parse_toml(std::string_view text, const std::string& file);
toml::table parse_toml_file(const std::filesystem::path& path);

/// Runs `read`; its bad_file becomes an error, and so does any other exception, as errc::internal with the file's name.
template <class T>
result<T> read_strictly(const std::string& file, const std::function<T()>& read) {
  try {
    return read();
  } catch (const bad_file& e) {
    return error{e.code, e.what()};
  } catch (const std::exception& e) {
    return error{errc::internal, file + " could not be read: " + e.what()};
  }
}

/// One table of a file. Getters throw bad_file. A table is read with its known keys named at construction.
class strict_table {
public:
  /// `where` names the table for people, e.g. "case 3"; empty for the file's own keys. Throws at the first key that is
  /// not in `known`, naming the nearest one that is.
  strict_table(const toml::table& table, std::string file, std::string where, std::span<const std::string_view> known);
  strict_table(const toml::table& table, std::string file, std::string where,
               std::initializer_list<std::string_view> known)
    : strict_table(table, std::move(file), std::move(where), std::span(known.begin(), known.size())) {}

  bool has(std::string_view key) const;
  std::string text(std::string_view key) const;  ///< not empty, at most 4096 bytes
  std::string text_or(std::string_view key, std::string absent) const;
  int64_t whole(std::string_view key, int64_t low, int64_t high) const;
  int64_t whole_or(std::string_view key, int64_t low, int64_t high, int64_t absent) const;
  double number(std::string_view key) const;  ///< finite; a whole number will do
  double number_or(std::string_view key, double absent) const;
  std::vector<std::string> texts(std::string_view key, size_t count_max) const;
  std::vector<std::string> texts_or(std::string_view key, size_t count_max) const;  ///< empty when absent
  std::vector<int64_t> wholes(std::string_view key, size_t count, int64_t low, int64_t high) const;  ///< exactly count

  strict_table table(std::string_view key, std::span<const std::string_view> known) const;
  /// The keys of an inner table whose names are its writer's choice, at most `count_max`, in order.
  std::vector<std::string> keys_of(std::string_view key, size_t count_max) const;
  /// An array of tables, for [[key]].
  size_t tables(std::string_view key, size_t count_max) const;
  strict_table table_at(std::string_view key, size_t index, std::string where,
                        std::span<const std::string_view> known) const;

  /// Throws: "<file>:<line>: <where>: <what>". The line is that of `key` where it exists, else of the table.
  [[noreturn]] void fail(std::string_view key, const std::string& what) const;
  const std::string& file() const { return file_; }

private:
  const toml::node& need(std::string_view key, const char* type) const;
  [[noreturn]] void wrong_type(std::string_view key, const toml::node& node, const char* wanted) const;

  const toml::table* table_;
  std::string file_;
  std::string where_;
};

/// "a, b or c".
std::string listed(std::span<const std::string_view> names, std::string_view last = "or");

}  // namespace kope
