// A directory for one test, removed with it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace kope {

class scratch_directory {
public:
  scratch_directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kope-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data()) ? pattern : "";
  }
  ~scratch_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

}  // namespace kope
