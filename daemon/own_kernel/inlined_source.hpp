// A user's file as one text: headers of his own are put in where they are included, so that the graph can rebuild it
// on a day when they are changed or gone. Headers of the system stay as lines. Reads files; main thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "messages/result.hpp"

namespace kope {

struct include_places {
  std::vector<std::filesystem::path> directories;  ///< of -I, in order
  std::vector<std::string> definitions;            ///< of -D: "NAME" or "NAME=VALUE", lines at the top
};

/// errc::not_found: no such file. errc::invalid_input: larger than a source may be, or headers that include each
/// other without end. An own header that is not there stays as a line: its condition may be false, and if it is not,
/// the compiler says so.
result<std::string> inlined_source(const std::filesystem::path& file, const include_places& places);

}  // namespace kope
