// An anonymous file that a runner gets by descriptor, and our own mapping of it. Movable, not copyable.
#pragma once

#include <cstddef>
#include <span>

#include "messages/result.hpp"

namespace kope {

/// What others may do with the file once it was sealed. Its size is fixed in every case: a runner that shrank it would
/// crash us at our next access.
enum class shared_use {
  written_by_all,
  written_by_us,  ///< our mapping, made before, keeps writing; no other writable mapping can be made
  read_by_all,
};

class shared_memory {
public:
  /// `name` shows in /proc only. `bytes` may not be 0.
  static result<shared_memory> create(const char* name, size_t bytes);
  ~shared_memory();
  shared_memory(shared_memory&& other) noexcept;
  shared_memory& operator=(shared_memory&& other) noexcept;

  result<unit> seal(shared_use use);
  int fd() const { return fd_; }
  /// Closes the descriptor: the mapping stays. Children have their own.
  void close_descriptor();
  /// Empty after seal(read_by_all): such a seal needs our writable mapping to go.
  std::span<std::byte> bytes() const { return {data_, size_}; }

private:
  shared_memory() = default;
  void release();
  int fd_ = -1;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace kope
