#include "storage/writer_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>

namespace kope {
namespace {

std::string utc_now() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, size};
}

/// The rest of the line that begins with `name`, which our own writer_lock wrote.
std::string field(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == ' ')
      return std::string(line.substr(name.size() + 1));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

std::string holder(int fd) {
  char text[512];  // three short lines
  ssize_t size = pread(fd, text, sizeof text, 0);
  std::string_view all(text, size > 0 ? static_cast<size_t>(size) : 0);
  auto program = field(all, "program"), pid = field(all, "pid"), since = field(all, "since");
  if (pid.empty()) return "another program";  // between its lock and its text, or no room for the text
  return program + " (pid " + pid + ", since " + since + ")";
}

}  // namespace

result<writer_lock> writer_lock::take(const std::string& directory) {
  auto path = directory + "/writer.lock";
  int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (fd < 0)
    return error{errno == ENOSPC ? errc::disk_full : errc::io,
                 path + " cannot be opened (" + std::strerror(errno) + "): a writer needs to write there"};
  writer_lock taken(fd);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      return error{errc::io,
                   path + " cannot be locked (" + std::strerror(errno) + "): the store needs a file system with flock"};
    auto who = holder(fd);
    close(std::exchange(taken.fd_, -1));  // not by the destructor, which empties the text of a lock that is ours
    return error{errc::busy, "store " + directory + " is being written by " + who +
                                 ": wait until it ends, stop it, or use another --data-dir"};
  }
  auto text = "program " + std::string(program_invocation_short_name) + "\npid " + std::to_string(getpid()) +
              "\nsince " + utc_now() + "\n";
  // A full disk leaves the text out, not the lock.
  if (ftruncate(fd, 0) == 0) [[maybe_unused]]
    auto written = pwrite(fd, text.data(), text.size(), 0);
  return taken;
}

writer_lock::~writer_lock() {
  if (fd_ < 0) return;
  [[maybe_unused]] int emptied = ftruncate(fd_, 0);  // old text would name a program that ended
  // Not by closing alone: a child that is between fork and exec still has the file open.
  flock(fd_, LOCK_UN);
  close(fd_);
}

}  // namespace kope
