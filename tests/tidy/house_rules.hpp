// House rules as pure functions over lines, tested on bad lines in house_rules_test.cpp and run over the repository by
// tests/tidy_test.cpp. Each complaint names file and line and says why the rule is there.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kope::tidy {

using lines = std::vector<std::string>;

struct source_file {
  std::string path;  ///< from the root
  lines text;
};

struct room {
  std::string name;
  std::string folder;  // "config/"
  bool uses_all = false;
  std::vector<std::string> must_not;  // what "except" takes away from may_use
  std::vector<std::string> may_use;   // "messages/", "storage/graph_store.hpp", "toolchains/*_options.hpp"
  std::vector<std::string> owns;      // "lmdb.h", "toml++/"
};

struct complaint {
  std::string path;
  size_t line;
  std::string reason;
};

bool is_cpp(const std::string& path);
lines split_lines(const std::string& text);

/// What a row names as owned, only rows that name it may include. The first Markdown table under "## Rooms"; columns by
/// their titles | room | folder | may use of ours | owns alone |.
std::vector<room> read_rooms(const lines& document);

std::vector<complaint> check_includes(const source_file& file, const std::vector<room>& rooms);
std::vector<complaint> check_texts(const source_file& file);  ///< banned words and calls
std::vector<complaint> check_size(const source_file& file);
std::vector<complaint> check_name(const std::string& path);
std::vector<complaint> check_header(const source_file& file);
std::vector<complaint> check_opening(const source_file& file);

/// A document that says "Copied from [`path`](…):" is followed by a block that is, line by line, in that file.
std::vector<complaint> check_quotes(const source_file& document, const std::vector<source_file>& repository);
/// Links of a document to files of the repository lead to one, or to a folder of some.
std::vector<complaint> check_links(const source_file& document, const std::vector<source_file>& repository);

}  // namespace kope::tidy
