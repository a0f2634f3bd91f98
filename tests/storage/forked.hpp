// A child process that runs a function of the test, talks back through a pipe, and can be killed at any moment.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

namespace kope::testing {

class forked {
public:
  /// `body(say)` runs in the child; say(number) sends a number; its return value is the exit code. The child ends
  /// without destructors, so nothing that it inherited is closed on its parent's behalf.
  template <class Body>
  explicit forked(Body&& body) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("no child");
    if (pid_ == 0) {
      close(ends[0]);
      auto say = [&](uint64_t number) {
        if (write(ends[1], &number, sizeof number) != sizeof number) _exit(99);
      };
      _exit(body(say));
    }
    close(ends[1]);
    from_child_ = ends[0];
  }
  forked(const forked&) = delete;
  forked& operator=(const forked&) = delete;
  ~forked() {
    kill();
    close(from_child_);
  }

  /// The next number, in order; nothing when the child has ended.
  std::optional<uint64_t> next() {
    uint64_t number = 0;
    if (read(from_child_, &number, sizeof number) != sizeof number) return std::nullopt;
    return number;
  }

  void kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    wait();
  }

  /// Exit code, or minus the signal that ended it.
  int wait() {
    if (pid_ <= 0) return ended_;
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  pid_t pid() const { return pid_; }

private:
  pid_t pid_ = -1;
  int from_child_ = -1;
  int ended_ = 0;
};

}  // namespace kope::testing
