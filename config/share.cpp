#include "config/share.hpp"

#include <cstdlib>
#include <string>

namespace kope {
namespace {

namespace fs = std::filesystem;

bool is_share(const fs::path& folder) {
  std::error_code failed;
  return fs::is_directory(folder / "tasks", failed) && fs::is_directory(folder / "config", failed);
}

}  // namespace

result<fs::path> share_directory() {
  if (auto named = std::getenv("KOPE_SHARE"); named && *named) {
    if (is_share(named)) return fs::absolute(named);
    return error{errc::not_found, "KOPE_SHARE is '" + std::string(named) +
                                      "', which does not hold the folders tasks and config; unset it or correct it"};
  }
  std::error_code failed;
  auto program = fs::read_symlink("/proc/self/exe", failed);
  auto installed = (program.parent_path() / ".." / "share" / "kope").lexically_normal();
  if (!failed && is_share(installed)) return installed;
  if (fs::path source = KOPE_SOURCE_DIRECTORY; is_share(source)) return source;
  return error{errc::not_found, "the folders tasks and config that ship with the program are neither in " +
                                    installed.string() +
                                    " nor in " KOPE_SOURCE_DIRECTORY "; set KOPE_SHARE to the folder that holds them"};
}

}  // namespace kope
