#include "tests/tidy/house_rules.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>

namespace kope::tidy {
namespace {

bool starts(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }
bool ends(const std::string& text, const std::string& with) {
  return text.size() >= with.size() && text.compare(text.size() - with.size(), with.size(), with) == 0;
}

// A line without what is in a // comment; rules about code do not apply to prose.
std::string code_of(const std::string& line) {
  bool quoted = false;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      quoted = !quoted;
    else if (!quoted && line[i] == '/' && line[i + 1] == '/')
      return line.substr(0, i);
  }
  return line;
}

std::string trimmed(const std::string& text) {
  auto begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end + 1 - begin);
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  size_t begin = row.find('|') + 1;
  for (size_t end; (end = row.find('|', begin)) != std::string::npos; begin = end + 1)
    cells.push_back(trimmed(row.substr(begin, end - begin)));
  return cells;
}

// What a cell names between backticks; prose around it is for people.
std::vector<std::string> quoted_in(const std::string& cell) {
  std::vector<std::string> names;
  for (size_t begin = 0; (begin = cell.find('`', begin)) != std::string::npos;) {
    auto end = cell.find('`', begin + 1);
    if (end == std::string::npos) break;
    names.push_back(cell.substr(begin + 1, end - begin - 1));
    begin = end + 1;
  }
  return names;
}

bool matches(const std::string& rule, const std::string& include) {
  if (ends(rule, "/")) return starts(include, rule);
  auto star = rule.find('*');
  if (star == std::string::npos) return include == rule;
  auto before = rule.substr(0, star), after = rule.substr(star + 1);
  return include.size() >= before.size() + after.size() && starts(include, before) && ends(include, after);
}

std::optional<std::string> include_of(const std::string& line) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
  std::smatch found;
  if (std::regex_search(line, found, pattern)) return found[1].str();
  return std::nullopt;
}

struct banned_text {
  const char* pattern;
  const char* reason;
  bool (*applies)(const std::string& path);
};

bool in_cpp(const std::string& path) { return is_cpp(path); }
bool in_product(const std::string& path) { return is_cpp(path) && !starts(path, "tests/"); }
bool sleeps_where_it_must_not(const std::string& path) {
  // process owns waiting for children; its tests start programs that sleep or spin on purpose.
  return is_cpp(path) && !starts(path, "toolchains/process") && !starts(path, "tests/toolchains/");
}
bool speaks_where_it_must_not(const std::string& path) {
  // A test program for people's eyes and a runner's shared page are no answer of ours.
  return is_cpp(path) && !starts(path, "daemon/") && !starts(path, "bench/") && !starts(path, "tests/");
}

// The patterns are cut in two so that this file does not complain about itself.
const banned_text code_rules[] = {
    {"#\\s*include\\s*<caf/"
     "all\\.hpp>",
     "caf/"
     "all.hpp costs 2 s a file to compile; include what is used",
     in_cpp},
    {"\\bcaf::"
     "actor\\b\\s+[a-z_]",
     "a handle without a type takes any message; use a typed handle of messages/actors.hpp", in_cpp},
    {"\\bSPDLOG_"
     "HEADER_ONLY\\b",
     "header-only spdlog costs 6 s and 400 MB a file", in_cpp},
    {"\\b(sleep_"
     "for|sleep_"
     "until|u"
     "sleep|nano"
     "sleep)\\s*\\(",
     "waiting by sleeping is slow when it is long and wrong when it is short; wait for the event",
     sleeps_where_it_must_not},
    {"\\bstd::"
     "(cout|printf|puts)\\b",
     "stdout is the program's data and belongs to daemon/ alone", speaks_where_it_must_not},
    {"\\[=\\s*[\\],]",
     "a capture of everything takes `this` unseen, and an actor's state may be gone by then; name what is captured",
     in_product},
    {"\\busing namespace std;", "it makes a name mean another thing when a header grows", in_cpp},
};

// Where comments count too.
const banned_text text_rules[] = {
    {"\\bFIX"
     "ME\\b",
     "it is either fixed now or written down as an issue", [](const std::string&) { return true; }},
    {"(^|[^A-Za-z0-9_./~$}-])(/"
     "work/|/"
     "root/|/"
     "home/[a-z][a-z0-9]*/)",
     "a path of one developer's machine means nothing on another",
     [](const std::string& path) { return !ends(path, ".svg"); }},
};

constexpr size_t line_columns_max = 120;  // .clang-format's limit: two files side by side on a wide screen
constexpr size_t file_lines_max = 450;    // nine of ten files of the code bases this house learnt from are shorter

size_t columns(const std::string& line) {  // code points, not bytes
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

bool is_cpp(const std::string& path) { return ends(path, ".cpp") || ends(path, ".hpp") || ends(path, ".h"); }

lines split_lines(const std::string& text) {
  lines all;
  size_t begin = 0;
  while (begin < text.size()) {
    auto end = std::min(text.find('\n', begin), text.size());
    all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

std::vector<room> read_rooms(const lines& document) {
  std::vector<room> rooms;
  auto at = std::find_if(document.begin(), document.end(), [](auto& line) { return trimmed(line) == "## Rooms"; });
  std::vector<std::string> titles;
  for (; at != document.end(); ++at) {
    if (starts(*at, "## ") && trimmed(*at) != "## Rooms") break;
    if (!starts(*at, "|")) {
      if (!titles.empty()) break;  // the first table only
      continue;
    }
    auto cells = cells_of(*at);
    if (titles.empty()) {
      titles = cells;
      continue;
    }
    if (cells.empty() || starts(cells[0], "---") || starts(cells[0], ":--")) continue;
    auto cell = [&](const std::string& title) {
      auto found = std::find(titles.begin(), titles.end(), title);
      auto index = static_cast<size_t>(found - titles.begin());
      return found == titles.end() || index >= cells.size() ? std::string() : cells[index];
    };
    room r;
    r.name = cell("room");
    r.name.erase(std::remove(r.name.begin(), r.name.end(), '`'), r.name.end());
    auto folders = quoted_in(cell("folder"));
    if (folders.empty()) continue;  // a row about something that is no room of code
    r.folder = folders[0];
    r.uses_all = starts(cell("may use of ours"), "all");
    auto uses = cell("may use of ours");
    auto except = uses.find(" except ");
    r.may_use = quoted_in(uses.substr(0, except));
    if (except != std::string::npos) r.must_not = quoted_in(uses.substr(except));
    r.owns = quoted_in(cell("owns alone"));
    rooms.push_back(std::move(r));
  }
  return rooms;
}

std::vector<complaint> check_includes(const source_file& file, const std::vector<room>& rooms) {
  std::vector<complaint> found;
  auto own = std::find_if(rooms.begin(), rooms.end(), [&](auto& r) { return starts(file.path, r.folder); });
  for (size_t i = 0; i < file.text.size(); ++i) {
    auto include = include_of(file.text[i]);
    if (!include) continue;
    auto complain = [&](const std::string& reason) { found.push_back({file.path, i + 1, reason}); };
    auto named_in = [&](const std::vector<std::string>& rules) {
      return std::any_of(rules.begin(), rules.end(), [&](auto& rule) { return matches(rule, *include); });
    };
    std::string owners;
    for (auto& other : rooms)
      if (named_in(other.owns)) owners += (owners.empty() ? "" : " and ") + other.folder;
    bool may = own != rooms.end() && (own->name == "tests" || named_in(own->owns));
    if (!owners.empty() && !may)
      complain("<" + *include + "> belongs to " + owners +
               " alone: few rooms know a tool, so that it can be replaced in them");
    for (auto& other : rooms) {
      if (!starts(*include, other.folder) || (own != rooms.end() && other.name == own->name)) continue;
      if (own == rooms.end())
        complain("code outside the rooms of docs/ARCHITECTURE.md includes " + *include + "; give it a room there");
      else if (!own->uses_all && (!named_in(own->may_use) || named_in(own->must_not)))
        complain(own->folder + " may not use " + *include +
                 " (docs/ARCHITECTURE.md, table of rooms): what knows more than it needs can be neither tested nor "
                 "replaced alone");
    }
    if (starts(*include, "./") || starts(*include, "../"))
      complain("an include names its room from the root, so that a file can move and a reader knows where it points");
    else if (file.text[i].find('"') != std::string::npos && include->find('/') == std::string::npos)
      complain("\"" + *include + "\" does not name its room: the root is the only include path");
  }
  return found;
}

std::vector<complaint> check_texts(const source_file& file) {
  static const auto compiled = [](const auto& rules) {
    std::vector<std::regex> all;
    for (auto& rule : rules) all.emplace_back(rule.pattern, std::regex::optimize);
    return all;
  };
  static const auto code_patterns = compiled(code_rules), text_patterns = compiled(text_rules);
  std::vector<complaint> found;
  for (size_t i = 0; i < file.text.size(); ++i) {
    auto code = is_cpp(file.path) ? code_of(file.text[i]) : std::string();
    for (size_t r = 0; r < code_patterns.size(); ++r)
      if (code_rules[r].applies(file.path) && std::regex_search(code, code_patterns[r]))
        found.push_back({file.path, i + 1, code_rules[r].reason});
    for (size_t r = 0; r < text_patterns.size(); ++r)
      if (text_rules[r].applies(file.path) && std::regex_search(file.text[i], text_patterns[r]))
        found.push_back({file.path, i + 1, text_rules[r].reason});
  }
  return found;
}

std::vector<complaint> check_size(const source_file& file) {
  std::vector<complaint> found;
  if (!is_cpp(file.path)) return found;
  for (size_t i = 0; i < file.text.size(); ++i)
    if (columns(file.text[i]) > line_columns_max && !include_of(file.text[i]))
      found.push_back({file.path, i + 1, "longer than 120 columns: two files no longer fit side by side"});
  if (file.text.size() > file_lines_max)
    found.push_back({file.path, file.text.size(), "longer than 450 lines: split it where it says two things"});
  return found;
}

std::vector<complaint> check_name(const std::string& path) {
  static const std::regex bad("^(util|helper|common|misc)", std::regex::icase);
  for (auto& part : std::filesystem::path(path))
    if (std::regex_search(part.string(), bad))
      return {{path, 1,
               "'" + part.string() +
                   "' says nothing about what is inside and so collects everything; a thing "
                   "lives under its own noun in the room that uses it"}};
  return {};
}

std::vector<complaint> check_header(const source_file& file) {
  if (!ends(file.path, ".hpp")) return {};
  if (std::none_of(file.text.begin(), file.text.end(), [](auto& line) { return trimmed(line) == "#pragma once"; }))
    return {{file.path, 1, "a header begins with #pragma once, or including it twice breaks"}};
  return {};
}

std::vector<complaint> check_opening(const source_file& file) {
  // The names of tests are sentences that say it.
  bool test = ends(file.path, "_test.cpp");
  if (!is_cpp(file.path) || test || file.text.empty() || starts(file.text[0], "//")) return {};
  // A source file says it in its header.
  if (ends(file.path, ".cpp") && !file.text.empty() && include_of(file.text[0])) {
    auto header = file.path.substr(0, file.path.size() - 4) + ".hpp";
    if (*include_of(file.text[0]) == header) return {};
  }
  return {{file.path, 1,
           "a file begins with a comment that says what it is and what it must not do (or, a source, with "
           "its own header)"}};
}

std::vector<complaint> check_quotes(const source_file& document, const std::vector<source_file>& repository) {
  std::vector<complaint> found;
  auto& text = document.text;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!starts(text[i], "Copied from ")) continue;
    auto names = quoted_in(text[i]);
    auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(),
                              [](auto& line) { return starts(line, "```"); });
    if (begin != text.end()) ++begin;
    auto end = std::find(begin, text.end(), "```");
    auto file = std::find_if(repository.begin(), repository.end(),
                             [&](auto& each) { return !names.empty() && each.path == names[0]; });
    if (file == repository.end() || begin == end)
      found.push_back({document.path, i + 1, "'Copied from' needs a file of this repository and a block of its lines"});
    else if (std::search(file->text.begin(), file->text.end(), begin, end) == file->text.end())
      found.push_back({document.path, i + 1, "what is said to be copied is not in " + names[0] + " any more"});
  }
  return found;
}

std::vector<complaint> check_links(const source_file& document, const std::vector<source_file>& repository) {
  static const std::regex link(R"re(\]\(([^)#\s]+)[^)]*\))re");
  std::vector<complaint> found;
  auto folder = std::filesystem::path(document.path).parent_path();
  bool code = false;
  for (size_t i = 0; i < document.text.size(); ++i) {
    auto& line = document.text[i];
    if (starts(trimmed(line), "```")) code = !code;
    if (code) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
      std::string target = (*at)[1];
      if (target.find("://") != std::string::npos) continue;
      auto path = (folder / target).lexically_normal().string();
      if (std::none_of(repository.begin(), repository.end(),
                       [&](auto& each) { return each.path == path || (ends(path, "/") && starts(each.path, path)); }))
        found.push_back({document.path, i + 1, "the link to " + target + " leads nowhere"});
    }
  }
  return found;
}

}  // namespace kope::tidy
