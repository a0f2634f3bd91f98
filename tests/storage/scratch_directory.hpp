// A directory of one test, gone with it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace kope::testing {

class scratch_directory {
public:
  scratch_directory() {
    auto pattern = (std::filesystem::temp_directory_path() / "kope-storage-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no scratch directory at " + pattern);
    path_ = pattern;
  }
  ~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;

  std::string path(const std::string& below = {}) const { return below.empty() ? path_ : path_ + "/" + below; }

private:
  std::string path_;
};

}  // namespace kope::testing
