// One writer a store, between processes: an flock on `writer.lock` in the store's directory. The kernel drops it when
// its holder ends, however that happens; the text inside says who holds it, for the sentence a second writer gets.
#pragma once

#include <string>
#include <utility>

#include "messages/result.hpp"

namespace kope {

class writer_lock {
public:
  /// errc::busy: held by another store, in this process or another; names its program, pid and since when.
  static result<writer_lock> take(const std::string& directory);

  writer_lock(writer_lock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  writer_lock& operator=(writer_lock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~writer_lock();

private:
  explicit writer_lock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace kope
