#include "toolchains/measure_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kope {

measure_lock::measure_lock(std::string path) {
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  // another user's file in a sticky directory may only be readable for us; flock needs no more
  if (descriptor_ < 0) descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor_ >= 0) fchmod(descriptor_, 0666);  // whatever the umask took away; fails harmlessly for others
}

measure_lock::~measure_lock() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool measure_lock::try_lock() { return descriptor_ < 0 || flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }

void measure_lock::unlock() {
  if (descriptor_ >= 0) flock(descriptor_, LOCK_UN);
}

}  // namespace kope
