#include "config/toolchain_files.hpp"

#include <algorithm>
#include <cctype>

#include "config/nearest_name.hpp"
#include "config/toml_reader.hpp"

namespace kope {
namespace {

namespace fs = std::filesystem;

constexpr size_t flags_max = 256;           // GCC's whole list of optimisations is about as long
constexpr int64_t seconds_max = 600;        // the longest that a compile slot may be held
constexpr int64_t mebibytes_max = 1 << 20;  // 1 TiB: more is a typing mistake

bool is_description_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::islower(c) || std::isdigit(c) || c == '-' || c == '_';
  });
}

std::vector<std::string> flags(const strict_table& table, std::string_view key) {
  auto all = table.texts(key, flags_max);
  for (auto& flag : all)
    if (flag[0] != '-')
      table.fail(key, "'" + std::string(key) + "' holds '" + flag.substr(0, 60) + "', a flag begins with -");
  return all;
}

cpp_compiler_options read(const fs::path& path, std::string_view name) {
  auto document = parse_toml_file(path);
  strict_table table(document, path.string(), "",
                     {"name", "language", "program", "package", "version_flag", "base_flags", "baseline_flags",
                      "c_flags", "allowed_flags", "wall_seconds", "cpu_seconds", "memory_mebibytes",
                      "artifact_mebibytes", "diagnostics_kibibytes"});
  cpp_compiler_options options;
  options.name = table.text("name");
  if (options.name != name)
    table.fail("name", "the toolchain is called '" + options.name + "' but its file '" + std::string(name) +
                           ".toml'; give them one name");
  options.language = table.text("language");
  options.program = table.text("program");
  options.package = table.text_or("package", "");
  options.version_flag = table.text_or("version_flag", options.version_flag);
  options.base_flags = flags(table, "base_flags");
  options.baseline_flags = flags(table, "baseline_flags");
  if (table.has("c_flags")) options.c_flags = flags(table, "c_flags");
  if (table.has("allowed_flags")) options.allowed_flags = flags(table, "allowed_flags");
  auto number = [&](std::string_view key, uint32_t& value, int64_t high) {
    value = static_cast<uint32_t>(table.whole_or(key, 1, high, value));
  };
  number("wall_seconds", options.wall_seconds, seconds_max);
  number("cpu_seconds", options.cpu_seconds, seconds_max);
  number("memory_mebibytes", options.memory_mebibytes, mebibytes_max);
  number("artifact_mebibytes", options.artifact_mebibytes, 16);  // a parcel holds no more (messages/parcel.hpp)
  number("diagnostics_kibibytes", options.diagnostics_kibibytes, 16 << 10);
  if (options.cpu_seconds > options.wall_seconds)
    table.fail("cpu_seconds", "'cpu_seconds' is " + std::to_string(options.cpu_seconds) + ", above 'wall_seconds' (" +
                                  std::to_string(options.wall_seconds) + "); a compiler could then never reach it");
  return options;
}

}  // namespace

result<std::vector<std::string>> toolchain_names(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator it(directory, failed), end; !failed && it != end; it.increment(failed))
    if (it->path().extension() == ".toml") names.push_back(it->path().stem().string());
  if (failed)
    return error{errc::not_found,
                 directory.string() + " cannot be listed as a folder of toolchains: " + failed.message()};
  std::sort(names.begin(), names.end());
  return names;
}

result<cpp_compiler_options> load_toolchain(const fs::path& directory, std::string_view name) {
  auto names = toolchain_names(directory);
  if (!names) return names.failure();
  // A name, never a path: what is loaded names the program that is run.
  if (!is_description_name(name) || std::find(names->begin(), names->end(), name) == names->end()) {
    std::vector<std::string_view> known(names->begin(), names->end());
    auto near = nearest_name(name, known);
    return error{errc::not_found,
                 "there is no toolchain '" + std::string(name.substr(0, 64)) + "'" +
                     (near.empty() ? " and " + directory.string() + " describes none at all"
                                   : "; did you mean '" + std::string(near) + "'? There are: " + listed(known, "and"))};
  }
  auto path = directory / (std::string(name) + ".toml");
  return read_strictly<cpp_compiler_options>(path.string(), [&] { return read(path, name); });
}

}  // namespace kope
