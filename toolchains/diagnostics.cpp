#include "toolchains/diagnostics.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "messages/content_hash.hpp"

namespace kope {
namespace {

// The graph keeps 4 KiB of a text: an error that begins in the first half of that is read as it is.
constexpr size_t early_bytes = 2048;
// What goes with an error that is moved to the front: the quoted line, the caret, the first notes.
constexpr size_t moved_bytes = 1024;

std::string_view cut(std::string_view text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// Where the line of the first error begins: compilers say "file:line: error: …", linkers and assemblers "Error: …".
size_t first_error(std::string_view all) {
  size_t first = std::string_view::npos;
  for (std::string_view word : {"error: ", "Error: ", "undefined reference"}) first = std::min(first, all.find(word));
  if (first == std::string_view::npos) return first;
  size_t line = all.rfind('\n', first);
  return line == std::string_view::npos ? 0 : line + 1;
}

}  // namespace

std::string shortened_diagnostics(std::string_view all, size_t bytes_max) {
  size_t error = first_error(all);
  if (error == std::string_view::npos || error < std::min(early_bytes, bytes_max))
    return std::string(cut(all, bytes_max));
  std::string text(cut(all.substr(error), std::min(moved_bytes, bytes_max)));
  text += "\n[what came before it]\n";
  if (text.size() < bytes_max) text += cut(all, bytes_max - text.size());
  return std::string(cut(text, bytes_max));
}

std::string kept_diagnostics::keep(std::string_view all) const {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::create_directories(directory_, failed);
  std::string name = content_hash(all).substr(0, 16) + ".txt";
  std::ofstream file(fs::path(directory_) / name, std::ios::binary);
  file << all;
  file.close();
  if (!file.good()) return {};
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& entry : fs::directory_iterator(directory_, failed))
    if (auto written = entry.last_write_time(failed); !failed) files.emplace_back(written, entry.path());
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i + files_max < files.size(); ++i) fs::remove(files[i].second, failed);
  return name;
}

}  // namespace kope
