// A compiler's words made short for messages without losing the first error, and kept whole on disk where they were too
// long. Pure, but for kept_diagnostics, which is used on the process host's thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kope {

/// At most `bytes_max` of `all` (valid UTF-8 stays valid), from its beginning. An error that comes late, because pages
/// of "required from here" precede it, is put first with what follows it, so that later cuts keep it too.
std::string shortened_diagnostics(std::string_view all, size_t bytes_max);

/// Files named by their content in one directory, newest kept.
class kept_diagnostics {
public:
  /// `directory` is made with the first file.
  explicit kept_diagnostics(std::string directory) : directory_(std::move(directory)) {}

  /// The file's name, "" when it cannot be written: the short text is what counts.
  std::string keep(std::string_view all) const;

  static constexpr size_t files_max = 64;  ///< of at most 1 MiB each (what is read of a compiler's output)

private:
  std::string directory_;
};

}  // namespace kope
