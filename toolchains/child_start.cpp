#include "toolchains/child_start.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

// The child runs on memory that is ours until it execs; instrumentation keeps books about stacks and would mix them up.
#define KOPE_CHILD_CODE __attribute__((no_sanitize("address", "undefined"), noinline))

namespace kope {
namespace {

// The child calls a dozen system calls with small frames; execve itself runs in the kernel.
constexpr size_t stack_bytes = 64 << 10;

struct one_limit {
  int resource = 0;
  rlimit value{};
};

// Written by the parent before the clone, read by the child; the last two the other way round. No lock is needed:
// CLONE_VFORK orders both.
struct launch {
  const char* program = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  const char* directory = nullptr;
  const int* descriptors = nullptr;
  int descriptor_count = 0;
  int null = -1;
  int output = -1;
  int parent = -1;
  const one_limit* limits = nullptr;
  int limit_count = 0;
  const cpu_set_t* cpus = nullptr;
  bool urgent = false;
  bool dies_with_us = true;
  const confinement_plan* confinement = nullptr;
  int ruleset = -1;
  int program_fd = -1;
  const char* uid_map = nullptr;  // set when the child gets a user namespace
  const char* gid_map = nullptr;
  const char* failed_step = nullptr;
  int failed_errno = 0;
};

KOPE_CHILD_CODE bool write_file(const char* path, const char* text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  size_t length = strlen(text);
  bool ok = write(fd, text, length) == static_cast<ssize_t>(length);
  close(fd);
  return ok;
}

KOPE_CHILD_CODE const char* die_with(int parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return "PR_SET_PDEATHSIG";
  // Had the program died before the line above, nobody would tell us; getppid() is always 0 in a PID namespace.
  pollfd program{parent, POLLIN, 0};
  return poll(&program, 1, 0) > 0 ? "parent died" : nullptr;
}

// Everything below is async-signal-safe: the other threads of the program may hold any lock.
KOPE_CHILD_CODE const char* become(launch* it) {
  // Ignored signals stay ignored over exec, and handlers of ours must not run on this memory once signals are let in.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &standard, nullptr);

  if (it->uid_map != nullptr) {
    if (!write_file("/proc/self/setgroups", "deny")) return "setgroups";
    if (!write_file("/proc/self/uid_map", it->uid_map)) return "uid_map";
    if (!write_file("/proc/self/gid_map", it->gid_map)) return "gid_map";
  }
  if (setsid() < 0) return "setsid";
  if (it->dies_with_us)
    if (const char* failed = die_with(it->parent)) return failed;

  if (it->cpus != nullptr && sched_setaffinity(0, sizeof(cpu_set_t), it->cpus) != 0) return "sched_setaffinity";
  // Above every process of a usual niceness, below the kernel's own threads. Without CAP_SYS_NICE it fails, and the
  // timing is as good as the machine is quiet.
  // Where the kernel groups processes by session, niceness counts inside the session only, so the group gets it too.
  if (it->urgent) {
    setpriority(PRIO_PROCESS, 0, -15);
    write_file("/proc/self/autogroup", "-15");
  }
  if (it->directory[0] != '\0' && chdir(it->directory) != 0) return "chdir";

  // First out of the way of the numbers they are to get, then into place: a source may sit on another's target.
  const int first_free = 3 + it->descriptor_count;
  int output = fcntl(it->output, F_DUPFD, first_free);
  int null = fcntl(it->null, F_DUPFD, first_free);
  if (output < 0 || null < 0) return "F_DUPFD";
  int lowest = first_free;
  for (int i = 0; i < it->descriptor_count; ++i) {
    int moved = fcntl(it->descriptors[i], F_DUPFD, lowest);
    if (moved < 0) return "F_DUPFD";
    // The list is ours alone to read, so the moved numbers go where the launcher reserved room for them.
    const_cast<int*>(it->descriptors)[i] = moved;
    lowest = moved + 1;
  }
  // What the steps below need goes above all of them; -1 stays -1.
  for (int* kept : {&it->parent, &it->ruleset, &it->program_fd})
    if (*kept >= 0 && (lowest = (*kept = fcntl(*kept, F_DUPFD, lowest)) + 1) == 0) return "F_DUPFD";
  if (dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) return "dup2";
  for (int i = 0; i < it->descriptor_count; ++i)
    if (dup2(it->descriptors[i], 3 + i) < 0) return "dup2";
  constexpr unsigned at_exec = 4;  // CLOSE_RANGE_CLOEXEC
  if (syscall(SYS_close_range, first_free, ~0u, it->confinement ? at_exec : 0u) != 0) return "close_range";
  if (it->confinement)
    if (const char* failed = enter_private_root(*it->confinement, it->ruleset)) return failed;

  for (int i = 0; i < it->limit_count; ++i)
    if (setrlimit(static_cast<__rlimit_resource>(it->limits[i].resource), &it->limits[i].value) != 0)
      return "setrlimit";

  if (it->confinement) {
    if (const char* failed = become_other_user(*it->confinement)) return failed;
    if (it->dies_with_us)
      if (const char* failed = die_with(it->parent)) return failed;  // a change of user forgets it
    if (const char* failed = give_up_files_and_calls(*it->confinement, it->ruleset)) return failed;
  }
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, nullptr) != 0) return "sigprocmask";
  if (it->program_fd >= 0)
    syscall(SYS_execveat, it->program_fd, "", it->arguments, it->environment, AT_EMPTY_PATH);
  else
    execve(it->program, it->arguments, it->environment);
  return "execve";
}

KOPE_CHILD_CODE int child_main(void* argument) {
  auto* it = static_cast<launch*>(argument);
  it->failed_step = become(it);
  it->failed_errno = errno;
  _exit(127);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// RLIMIT_NPROC counts what the user runs anywhere, so outside a user namespace of its own a child's allowance comes on
// top of what is there: all threads of the machine, the last but one number of "0.1 0.1 0.1 1/89 5794".
uint64_t threads_on_machine() {
  int running = 0;
  int total = 0;
  if (FILE* file = fopen("/proc/loadavg", "re")) {
    if (fscanf(file, "%*f %*f %*f %d/%d", &running, &total) != 2) total = 0;
    fclose(file);
  }
  return static_cast<uint64_t>(total);
}

std::vector<one_limit> kernel_limits(const process_limits& limits, bool own_user) {
  std::vector<one_limit> out;
  auto add = [&](int resource, uint64_t value) {
    rlimit bound{};
    // A hard limit of ours cannot be raised, so the smaller of the two holds.
    getrlimit(static_cast<__rlimit_resource>(resource), &bound);
    bound.rlim_max = std::min<rlim_t>(value, bound.rlim_max);
    bound.rlim_cur = bound.rlim_max;
    out.push_back({resource, bound});
  };
  add(RLIMIT_CORE, 0);  // a core file of a crashed candidate helps nobody and may be gigabytes
  if (limits.cpu_seconds) add(RLIMIT_CPU, limits.cpu_seconds);
  if (limits.address_space_bytes) add(RLIMIT_AS, limits.address_space_bytes);
  if (limits.file_bytes) add(RLIMIT_FSIZE, limits.file_bytes);
  if (limits.open_files) add(RLIMIT_NOFILE, limits.open_files);
  if (limits.processes) {
    uint64_t others = own_user ? 0 : threads_on_machine();
    add(RLIMIT_NPROC, limits.processes + others);
  }
  return out;
}

}  // namespace

child_launcher::child_launcher() {
  stack_ = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  check(stack_ != MAP_FAILED, "no memory for the stack of starting children");
  null_ = open("/dev/null", O_RDWR | O_CLOEXEC);
  check(null_ >= 0, "/dev/null cannot be opened");
  parent_ = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  check(parent_ >= 0, "pidfd_open is not there: Linux 5.9 or later is needed");
}

child_launcher::~child_launcher() {
  munmap(stack_, stack_bytes);
  close(null_);
  close(parent_);
}

result<started_child> child_launcher::start(const child_start& what, child_hold hold) {
  auto arguments = pointers(what.arguments);
  auto environment = pointers(what.environment);
  auto descriptors = what.descriptors;  // the child writes into this copy
  bool own_user = hold == child_hold::user_and_pid_namespace || (what.confinement && what.confinement->user >= 0);
  auto limits = what.limited ? kernel_limits(what.limits, own_user) : std::vector<one_limit>();
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (int cpu : what.cpus)
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(cpu, &cpus);
  // "inside outside count": nobody inside, so that no capability of the namespace outlives the exec.
  std::string uid_map = "65534 " + std::to_string(geteuid()) + " 1";
  std::string gid_map = "65534 " + std::to_string(getegid()) + " 1";

  launch it;
  it.program = what.program.c_str();
  it.arguments = arguments.data();
  it.environment = environment.data();
  it.directory = what.directory.c_str();
  it.descriptors = descriptors.data();
  it.descriptor_count = static_cast<int>(descriptors.size());
  it.null = null_;
  it.output = what.output;
  it.parent = parent_;
  it.limits = limits.data();
  it.limit_count = static_cast<int>(limits.size());
  it.cpus = what.cpus.empty() ? nullptr : &cpus;
  it.urgent = what.urgent;
  it.dies_with_us = what.dies_with_us;
  it.confinement = what.confinement ? &*what.confinement : nullptr;
  it.ruleset = what.confinement ? what.confinement->ruleset : -1;
  it.program_fd = what.program_fd;
  // In a private root the working directory is another one, entered there.
  if (what.confinement && !what.confinement->root.empty()) it.directory = "";

  int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD | what.namespaces;
  if (hold != child_hold::process_group) flags |= CLONE_NEWPID;
  if (hold == child_hold::user_and_pid_namespace) {
    flags |= CLONE_NEWUSER;
    it.uid_map = uid_map.c_str();
    it.gid_map = gid_map.c_str();
  }

  started_child child;
  const int dumpable = prctl(PR_GET_DUMPABLE);
  child.pid = clone(child_main, static_cast<char*>(stack_) + stack_bytes, flags, &it, &child.pidfd);
  // A child that changes its user marks the memory that it shares with us: our own /proc files would become root's.
  if (dumpable == 1) prctl(PR_SET_DUMPABLE, 1);
  if (child.pid < 0) return error{errc::io, "cannot start " + what.program + ": clone: " + strerror(errno)};
  if (it.failed_step == nullptr) return child;

  while (waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  close(child.pidfd);
  std::string reason = strerror(it.failed_errno);
  if (strcmp(it.failed_step, "execve") == 0)
    return error{errc::tool_missing, what.program + " cannot be executed: " + reason};
  if (strcmp(it.failed_step, "chdir") == 0)
    return error{errc::io, "cannot start " + what.program + " in directory " + what.directory + ": " + reason};
  return error{errc::io, "cannot start " + what.program + ": " + it.failed_step + ": " + reason};
}

result<std::string> probe_program() {
  for (const char* path : {"/usr/bin/true", "/bin/true"})
    if (access(path, X_OK) == 0) return std::string(path);
  return find_program("true");
}

result<std::string> find_program(const std::string& name) {
  auto runnable = [](const std::string& path) { return access(path.c_str(), X_OK) == 0; };
  if (name.empty()) return error{errc::tool_missing, "a program without a name cannot be started"};
  if (name.find('/') != std::string::npos) {
    if (runnable(name)) return name;
    return error{errc::tool_missing, name + " is not there or not executable"};
  }
  const char* variable = getenv("PATH");
  std::string path = variable ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (size_t at = 0; at <= path.size();) {
    size_t end = std::min(path.find(':', at), path.size());
    std::string candidate = path.substr(at, end - at) + "/" + name;
    if (end > at && runnable(candidate)) return candidate;
    at = end + 1;
  }
  return error{errc::tool_missing, name + " is not installed (looked in PATH=" + path + ")"};
}

}  // namespace kope
