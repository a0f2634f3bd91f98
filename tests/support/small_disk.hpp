// A disk of a few MiB, gone with its object. Needs the right to mount.
#pragma once

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace kope::testing {

class small_disk {
public:
  explicit small_disk(const std::string& path, const std::string& size = "4m") : path_(path) {
    std::filesystem::create_directories(path);
    if (mount("tmpfs", path.c_str(), "tmpfs", 0, ("size=" + size).c_str()) != 0) why_ = std::strerror(errno);
  }
  ~small_disk() {
    if (why_.empty()) umount2(path_.c_str(), MNT_DETACH);
  }
  const std::string& why_not() const { return why_; }
  void grow() const { ASSERT_EQ(mount("tmpfs", path_.c_str(), nullptr, MS_REMOUNT, "size=32m"), 0); }
  /// Takes all the room that is left, to the last page.
  void fill() const {
    std::ofstream file(path_ + "/ballast", std::ios::binary);
    std::string page(4096, 'x');
    while (file.write(page.data(), 4096).flush()) {
    }
  }

  /// Takes what fill() took away again.
  void empty() const { std::filesystem::remove(path_ + "/ballast"); }

private:
  std::string path_, why_;
};

#define SKIP_WITHOUT_MOUNT(disk) \
  if (!(disk).why_not().empty()) GTEST_SKIP() << "a small disk cannot be mounted here: " << (disk).why_not()

}  // namespace kope::testing
