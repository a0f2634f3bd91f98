#include "toolchains/process_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

namespace kope {
namespace {

constexpr size_t line_bytes = 32;
// A child that forks as fast as we kill needs more than one round; NPROC bounds how many there can be.
constexpr int rounds_max = 50;

std::string read_proc(pid_t pid, const char* file) {
  std::string path = "/proc/" + std::to_string(pid) + "/" + file;
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  if (fd < 0) return text;
  char buffer[4096];
  for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(got));
  close(fd);
  return text;
}

bool carries(const std::string& environment, const std::string& marker) {
  for (size_t at = 0; at < environment.size();) {
    size_t end = std::min(environment.find('\0', at), environment.size());
    if (std::string_view(environment).substr(at, end - at) == marker) return true;
    at = end + 1;
  }
  return false;
}

void each_process(const std::function<void(pid_t)>& visit) {
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return;
  while (dirent* entry = readdir(proc)) {
    int pid = atoi(entry->d_name);
    if (pid > 0 && pid != getpid()) visit(pid);
  }
  closedir(proc);
}

// "KOPE_CHILD_OF=<pid>.<ticks>.<child>": whether that host still lives.
bool host_lives(const std::string& environment) {
  static constexpr std::string_view name = "KOPE_CHILD_OF=";
  size_t at = environment.find(name);
  if (at == std::string::npos) return false;
  int pid = 0;
  unsigned long long ticks = 0;
  if (sscanf(environment.c_str() + at + name.size(), "%d.%llu", &pid, &ticks) != 2) return false;
  return ticks != 0 && start_ticks_of(pid) == ticks;
}

size_t kill_where(const std::function<bool(const std::string&)>& wanted) {
  size_t killed = 0;
  for (int round = 0; round < rounds_max; ++round) {
    size_t found = 0;
    each_process([&](pid_t pid) {
      std::string environment = read_proc(pid, "environ");  // empty for a zombie: it is dead already
      if (environment.empty() || !wanted(environment)) return;
      ++found;
      kill(pid, SIGKILL);
    });
    killed += round == 0 ? found : 0;
    if (found == 0) break;
    sched_yield();
  }
  return killed;
}

}  // namespace

uint64_t start_ticks_of(pid_t pid) {
  // The second field is the program's name in brackets and may hold anything; the 22nd is the start time.
  std::string stat = read_proc(pid, "stat");
  size_t at = stat.rfind(')');
  if (at == std::string::npos) return 0;
  for (int field = 2; field < 22; ++field) {
    at = stat.find(' ', at + 1);
    if (at == std::string::npos) return 0;
  }
  return strtoull(stat.c_str() + at, nullptr, 10);
}

std::string scratch_marker(const std::string& scratch) { return "KOPE_CHILD=" + scratch; }

std::string child_marker(const process_name& host, uint64_t child) {
  return "KOPE_CHILD_OF=" + std::to_string(host.pid) + "." + std::to_string(host.start_ticks) + "." +
         std::to_string(child);
}

size_t kill_marked(const std::string& marker) {
  return kill_where([&](const std::string& environment) { return carries(environment, marker); });
}

child_list::child_list(std::string scratch) : host_{getpid(), start_ticks_of(getpid())} {
  // A second host in this program needs a list of its own.
  std::string base = scratch + "/children." + std::to_string(host_.pid);
  for (int number = 0; fd_ < 0 && number < 1000; ++number) {
    path_ = base + "." + std::to_string(number);
    fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  check(fd_ >= 0, "the list of children cannot be created in the scratch directory");
  used_.push_back(true);
  char line[line_bytes + 1];
  snprintf(line, sizeof line, "%-10d %-20llu\n", host_.pid, static_cast<unsigned long long>(host_.start_ticks));
  check(pwrite(fd_, line, line_bytes, 0) == line_bytes, "the list of children cannot be written");
}

child_list::~child_list() {
  close(fd_);
  unlink(path_.c_str());
}

size_t child_list::add(pid_t pid) {
  size_t at = 1;
  while (at < used_.size() && used_[at]) ++at;
  if (at == used_.size()) used_.push_back(true);
  used_[at] = true;
  char line[line_bytes + 1];
  snprintf(line, sizeof line, "%-10d %-20llu\n", pid, static_cast<unsigned long long>(start_ticks_of(pid)));
  // A line that could not be written costs the sweep one of its two means; the marker is the other.
  [[maybe_unused]] ssize_t wrote = pwrite(fd_, line, line_bytes, static_cast<off_t>(at * line_bytes));
  return at;
}

void child_list::remove(size_t line) {
  used_[line] = false;
  char blank[line_bytes + 1];
  snprintf(blank, sizeof blank, "%-31s\n", "");
  [[maybe_unused]] ssize_t wrote = pwrite(fd_, blank, line_bytes, static_cast<off_t>(line * line_bytes));
}

std::string private_root_name(const std::string& scratch, const process_name& host) {
  return scratch + "/root." + std::to_string(host.pid) + "." + std::to_string(host.start_ticks);
}

size_t sweep_children(const std::string& scratch) {
  size_t killed = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(scratch, ignored)) {
    process_name owner;
    unsigned long long ticks = 0;
    if (sscanf(entry.path().filename().c_str(), "root.%d.%llu.", &owner.pid, &ticks) == 2 &&
        start_ticks_of(owner.pid) != ticks)
      rmdir(entry.path().c_str());  // empty: what was mounted there was another namespace's
    if (!entry.path().filename().string().starts_with("children.")) continue;
    std::ifstream list(entry.path());
    process_name host;
    if (list >> host.pid >> host.start_ticks && start_ticks_of(host.pid) == host.start_ticks) continue;
    for (process_name child; list >> child.pid >> child.start_ticks;) {
      if (child.start_ticks == 0 || start_ticks_of(child.pid) != child.start_ticks) continue;
      kill(-child.pid, SIGKILL);
      kill(child.pid, SIGKILL);
      ++killed;
    }
    std::filesystem::remove(entry.path(), ignored);
  }
  std::string marker = scratch_marker(scratch);
  killed += kill_where(
      [&](const std::string& environment) { return carries(environment, marker) && !host_lives(environment); });
  return killed;
}

}  // namespace kope
