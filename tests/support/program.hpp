// The built program as a child process, as a user starts it: its own working directory, a data directory, what it says
// on both streams as it says it, and which processes it has left behind. Used by tests/daemon.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace kope::testing {

/// A directory of one test, gone with it: data directory, working directory and configuration of the programs it
/// starts.
class program_home {
public:
  program_home() {
    auto pattern = (std::filesystem::temp_directory_path() / "kope-program-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no directory at " + pattern);
    path_ = pattern;
  }
  ~program_home() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  program_home(const program_home&) = delete;
  program_home& operator=(const program_home&) = delete;

  std::filesystem::path path() const { return path_; }
  std::filesystem::path data() const { return path_ / "data"; }
  void write(const std::filesystem::path& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }

private:
  std::filesystem::path path_;
};

class program {
public:
  using clock = std::chrono::steady_clock;
  /// No command of a test needs more; what does hangs.
  static constexpr std::chrono::seconds patience{200};

  /// `kope arguments…`, or another program. The environment is PATH and a home inside `home`, and what `environment`
  /// adds or replaces. `before_exec` runs in the child, which it may take rights from; false: it could not.
  program(const program_home& home, const std::vector<std::string>& arguments,
          std::map<std::string, std::string> environment = {}, const std::string& executable = KOPE_PROGRAM,
          bool (*before_exec)() = nullptr) {
    const char* path = getenv("PATH");
    std::map<std::string, std::string> all{{"PATH", path ? path : "/usr/bin:/bin"}, {"HOME", home.path().string()}};
    for (auto name : {"ASAN_OPTIONS", "UBSAN_OPTIONS"})
      if (const char* value = getenv(name)) all[name] = value;
    all["KOPE_DATA_DIR"] = home.data().string();
    for (auto& [name, value] : environment) all[name] = value;
    std::vector<std::string> texts{executable};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables;
    for (auto& [name, value] : all) variables.push_back(name + "=" + value);
    auto values = pointers(texts), names = pointers(variables);
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("no child");
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is ended leaves nothing
      int nothing = open("/dev/null", O_RDONLY);
      dup2(nothing, STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      dup2(err[1], STDERR_FILENO);
      if (chdir(home.path().c_str()) != 0 || (before_exec && !before_exec())) _exit(98);
      execve(values[0], values.data(), names.data());
      _exit(99);
    }
    close(out[1]);
    close(err[1]);
    streams_[0].descriptor = out[0];
    streams_[1].descriptor = err[0];
  }
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program() {
    kill(SIGKILL);
    wait();
    for (auto& stream : streams_)
      if (stream.descriptor >= 0) close(stream.descriptor);
  }

  pid_t pid() const { return pid_; }
  const std::string& out() const { return streams_[0].text; }  ///< as far as it was read
  const std::string& err() const { return streams_[1].text; }
  void kill(int signal) const {
    if (pid_ > 0) ::kill(pid_, signal);
  }

  /// Reads both streams until `enough` holds, the program has closed them, or `moment`. What `enough` says then.
  bool read_until(const std::function<bool()>& enough, clock::time_point moment) {
    while (!enough()) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(moment - clock::now()).count();
      if (left <= 0 || !read_some(static_cast<int>(left))) return enough();
    }
    return true;
  }
  bool says(const std::string& text) {
    return read_until([&] { return err().find(text) != std::string::npos; }, clock::now() + patience);
  }
  void read_for(std::chrono::milliseconds time) {
    read_until([] { return false; }, clock::now() + time);
  }

  /// Its exit code, or minus the signal that ended it; nothing (and it is killed) when it goes on for longer.
  std::optional<int> end_within(std::chrono::milliseconds time) {
    auto moment = clock::now() + time;
    read_until([] { return false; }, moment);
    bool in_time = open_streams() == 0 || clock::now() < moment;
    if (!in_time) kill(SIGKILL);
    int ended = wait();
    if (!in_time) return std::nullopt;
    return ended;
  }

  int wait() {
    if (pid_ > 0) {
      int status = 0;
      waitpid(pid_, &status, 0);
      pid_ = -1;
      ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    return ended_;
  }

private:
  struct stream {
    int descriptor = -1;
    std::string text;
  };

  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (auto& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  }

  int open_streams() const { return (streams_[0].descriptor >= 0) + (streams_[1].descriptor >= 0); }

  /// False when both are closed. Nothing within the time is true as well.
  bool read_some(int milliseconds) {
    pollfd polled[2] = {{streams_[0].descriptor, POLLIN, 0}, {streams_[1].descriptor, POLLIN, 0}};
    if (open_streams() == 0) return false;
    if (poll(polled, 2, milliseconds) <= 0) return true;
    for (int i = 0; i < 2; ++i) {
      if (!polled[i].revents) continue;
      char block[4096];
      auto count = read(streams_[i].descriptor, block, sizeof block);
      if (count > 0) {
        streams_[i].text.append(block, static_cast<size_t>(count));
      } else {
        close(streams_[i].descriptor);
        streams_[i].descriptor = -1;
      }
    }
    return open_streams() > 0;
  }

  pid_t pid_ = -1;
  int ended_ = 0;
  stream streams_[2];
};

/// Runs a command to its end.
struct ended_program {
  std::optional<int> code;  ///< nothing: it did not end in time
  std::string out, err;
};
inline ended_program kope(const program_home& home, const std::vector<std::string>& arguments,
                          std::map<std::string, std::string> environment = {}) {
  program running(home, arguments, std::move(environment));
  auto code = running.end_within(program::patience);
  return {code, running.out(), running.err()};
}

/// Command lines of living processes that belong to this home: its path is in their environment (every child of the
/// program carries its scratch directory there) or among their arguments. A process that is dead but not reaped by
/// whoever inherited it has neither.
inline std::vector<std::string> processes_of(const program_home& home) {
  auto text_of = [](const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    // A process that ends between open and read is ESRCH, which a bare streambuf iterator throws.
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  std::vector<std::string> found;
  std::error_code gone;
  for (std::filesystem::directory_iterator at("/proc", gone), end; !gone && at != end; at.increment(gone)) {
    auto name = at->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    auto command = text_of(at->path() / "cmdline");
    if (text_of(at->path() / "environ").find(home.path().string()) == std::string::npos &&
        command.find(home.path().string()) == std::string::npos)
      continue;
    for (auto& c : command)
      if (c == '\0') c = ' ';
    found.push_back(name + " " + command);
  }
  return found;
}

/// The same after at most this time: empty as soon as none is left.
inline std::vector<std::string> processes_left_after(const program_home& home, std::chrono::milliseconds time) {
  auto moment = program::clock::now() + time;
  auto left = processes_of(home);
  while (!left.empty() && program::clock::now() < moment) {
    poll(nullptr, 0, 20);
    left = processes_of(home);
  }
  return left;
}

}  // namespace kope::testing
