#include "daemon/own_kernel/inlined_source.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "actors/evaluation/own_part.hpp"
#include "toolchains/compiler.hpp"

namespace kope {
namespace {

namespace fs = std::filesystem;

constexpr unsigned depth_max = 32;  // headers of headers; deeper is one that includes itself
// A source may have 256 KiB with everything in it; the adapter needs a little.
constexpr size_t bytes_max = source_bytes_max - (16 << 10);

/// The name between the quotes or brackets of an #include line, or nothing.
std::string included_name(std::string_view line, bool& quoted) {
  auto at = line.find_first_not_of(" \t");
  if (at == line.npos || line[at] != '#') return {};
  at = line.find_first_not_of(" \t", at + 1);
  if (at == line.npos || line.substr(at, 7) != "include") return {};
  at = line.find_first_not_of(" \t", at + 7);
  if (at == line.npos || (line[at] != '"' && line[at] != '<')) return {};
  quoted = line[at] == '"';
  auto end = line.find(quoted ? '"' : '>', at + 1);
  return end == line.npos ? std::string() : std::string(line.substr(at + 1, end - at - 1));
}

bool is_pragma_once(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string first, second, third;
  words >> first >> second >> third;
  return (first == "#pragma" && second == "once") || (first == "#" && second == "pragma" && third == "once");
}

class inliner {
public:
  explicit inliner(const include_places& places) : places_(places) {}

  result<unit> add(const fs::path& file, unsigned depth) {
    std::ifstream from(file, std::ios::binary);
    if (!from || fs::is_directory(file)) return error{errc::not_found, "there is no readable file " + file.string()};
    if (depth > depth_max)
      return error{errc::invalid_input, file.string() + " is included by itself without end; give it an include guard"};
    std::error_code failed;
    auto canonical = fs::weakly_canonical(file, failed).string();
    std::string line;
    while (std::getline(from, line)) {
      if (line.find('\0') != line.npos)
        return error{errc::invalid_input, file.string() + " holds a zero byte: is it a C source?"};
      if (line.ends_with('\r')) line.pop_back();
      if (is_pragma_once(line) && depth > 0) {
        if (!once_.insert(canonical).second) return unit{};
        continue;
      }
      bool quoted = false;
      auto name = included_name(line, quoted);
      auto own = name.empty() ? fs::path() : found(file.parent_path(), name, quoted);
      if (own.empty()) {
        text_ += line + '\n';
      } else if (!once_.contains(fs::weakly_canonical(own, failed).string())) {
        text_ += std::string(inlined_begins) + line + '\n';
        if (auto added = add(own, depth + 1); !added) return added;
        text_ += std::string(inlined_ends) + '\n';
      }
      if (text_.size() > bytes_max)
        return error{errc::invalid_input, file.string() + " with its own headers is larger than " +
                                              std::to_string(bytes_max >> 10) +
                                              " KiB, the most that a source may have"};
    }
    return unit{};
  }

  std::string text() { return std::move(text_); }

private:
  fs::path found(const fs::path& beside, const std::string& name, bool quoted) const {
    std::error_code failed;
    if (quoted && fs::is_regular_file(beside / name, failed)) return beside / name;
    for (auto& directory : places_.directories)
      if (fs::is_regular_file(directory / name, failed)) return directory / name;
    return {};
  }

  const include_places& places_;
  std::set<std::string> once_;
  std::string text_;
};

}  // namespace

result<std::string> inlined_source(const fs::path& file, const include_places& places) {
  inliner into(places);
  if (auto added = into.add(file, 0); !added) return added.failure();
  std::string defined;
  if (!places.definitions.empty()) defined = std::string(defined_begins) + '\n';
  for (auto& definition : places.definitions) {
    auto equals = definition.find('=');
    defined += "#define " + definition.substr(0, equals) + ' ' +
               (equals == definition.npos ? "1" : definition.substr(equals + 1)) + '\n';
  }
  if (!defined.empty()) defined += std::string(inlined_ends) + '\n';
  return defined + into.text();
}

}  // namespace kope
