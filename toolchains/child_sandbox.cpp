#include "toolchains/child_sandbox.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace kope {
namespace {

// Users that no account has: systemd takes them for services of a moment, 61184 to 65519. One a child, so that its
// limit on processes counts its own and no child can touch another's. One that lives for 4,096 starts meets a namesake,
// and then shares its limit.
constexpr int64_t first_user = 61184;
constexpr int64_t users = 4096;
static_assert(users > static_cast<int64_t>(children_max), "two living children must not be the same user");

// Directories, links and an artifact; libraries are bound, not copied.
constexpr uint64_t root_bytes = 1 << 20;
constexpr uint64_t page_bytes = 4096;
constexpr const char* root_inodes = "64";

// A compiler that is not below /usr brings its parts along: the directory above the one it is in.
void add_prefix_of(const std::string& program, std::vector<root_step>& steps) {
  std::error_code failed;
  auto real = std::filesystem::canonical(program, failed);
  if (failed || real.string().starts_with("/usr/")) return;
  auto prefix = real.parent_path().parent_path();
  if (prefix == "/" || prefix.empty()) return;
  std::string so_far;
  for (const auto& part : prefix.relative_path()) {
    so_far += (so_far.empty() ? "" : "/") + part.string();
    steps.push_back({root_step::kind::directory, "", so_far});
  }
  steps.back() = {root_step::kind::bind_directory, prefix.string(), so_far};
}

}  // namespace

start_descriptors::~start_descriptors() {
  for (int fd : owned_) close(fd);
}

start_descriptors::start_descriptors(start_descriptors&& other) noexcept : owned_(std::move(other.owned_)) {
  other.owned_.clear();
}

int start_descriptors::keep(int fd) {
  owned_.push_back(fd);
  return fd;
}

child_sandbox::child_sandbox(const std::string& scratch, const process_name& host, sandbox_defences defences)
  : defences_(defences) {
  std::string base = private_root_name(scratch, host);
  for (int number = 0; number < 1000; ++number) {
    root_ = base + "." + std::to_string(number);
    if (mkdir(root_.c_str(), 0755) == 0) return;
    if (errno != EEXIST) break;
  }
  root_.clear();
}

child_sandbox::~child_sandbox() {
  if (!root_.empty()) rmdir(root_.c_str());
}

const std::vector<root_step>& child_sandbox::places(sandbox_profile profile) {
  auto& list = profile == sandbox_profile::compiler ? compiler_places_ : runner_places_;
  if (list.empty()) list = readable_places(profile);
  return list;
}

void child_sandbox::probe(child_launcher& launcher, child_hold hold) {
  changes_user_ = defences_.other_user && geteuid() == 0;
  if (hold == child_hold::process_group || !defences_.namespaces) {
    report_.missing.push_back("full: no PID namespace");
  } else if (root_.empty()) {
    report_.missing.push_back("full: no directory for private roots can be made in scratch");
  } else {
    auto failed = try_level(launcher, hold, true);
    separate_ = !failed;
    if (failed) report_.missing.push_back("full: " + *failed);
  }
  confined_ = separate_;
  if (!confined_) {
    auto failed = try_level(launcher, hold, false);
    // Root of a container may be unable to become anybody else; the rest holds all the same.
    if (failed && changes_user_) {
      changes_user_ = false;
      report_.missing.push_back("another user: " + *failed);
      failed = try_level(launcher, hold, false);
    }
    confined_ = !failed;
    if (failed) report_.missing.push_back("lite: " + *failed);
  }
  bool all = defences_.private_root && defences_.other_user && defences_.landlock && defences_.system_calls &&
             defences_.limits && defences_.death_signal;
  if (confined_ && all)
    report_.level = separate_ ? sandbox_level::full : sandbox_level::lite;
  else
    report_.level = hold == child_hold::process_group ? sandbox_level::process_group : sandbox_level::pid_namespace;
}

std::optional<std::string> child_sandbox::try_level(child_launcher& launcher, child_hold hold, bool separate) {
  auto program = probe_program();
  if (!program) return program.failure().what;
  process_request request;
  request.profile = sandbox_profile::compiler;
  child_start what;
  what.program = *program;
  what.arguments = {"true"};
  auto kept = confine(request, 0, separate, what);
  if (!kept) return kept.failure().what;
  what.output = kept->keep(open("/dev/null", O_WRONLY | O_CLOEXEC));
  auto started = launcher.start(what, hold);
  if (!started) return started.failure().what;
  int status = -1;
  while (waitpid(started->pid, &status, 0) < 0 && errno == EINTR) {
  }
  close(started->pidfd);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  return "a confined program does not run (status " + std::to_string(status) + ")";
}

result<start_descriptors> child_sandbox::prepare(const process_request& request, uint64_t number, child_start& what) {
  start_descriptors kept;
  if (request.profile != sandbox_profile::none && confined_) return confine(request, number, separate_, what);
  if (request.profile == sandbox_profile::runner)
    what.arguments.push_back("/proc/self/fd/" + std::to_string(3 + request.loaded));
  return kept;
}

result<start_descriptors> child_sandbox::confine(const process_request& request, uint64_t number, bool separate,
                                                 child_start& what) {
  const bool runs = request.profile == sandbox_profile::runner;
  start_descriptors kept;
  confinement_plan plan;
  auto readable = places(request.profile);
  if (!runs) add_prefix_of(what.program, readable);

  if (changes_user_) {
    plan.leaves_groups = true;
    plan.user = plan.group = first_user + static_cast<int64_t>(number) % users;
    if (!runs && !request.directory.empty() &&
        chown(request.directory.c_str(), static_cast<uid_t>(plan.user), static_cast<gid_t>(plan.group)) != 0)
      return error{errc::io,
                   "the directory " + request.directory + " cannot be given to a sandboxed child: " + strerror(errno)};
  }
  if (runs) {
    what.program_fd = open(what.program.c_str(), O_PATH | O_CLOEXEC);
    if (what.program_fd < 0) return error{errc::tool_missing, what.program + " cannot be opened: " + strerror(errno)};
    kept.keep(what.program_fd);
  }
  if (separate) what.namespaces = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  const bool private_root = separate && defences_.private_root;
  if (private_root) {
    plan.root = root_;
    plan.steps = readable;
    plan.directory = "/";
    uint64_t artifact_bytes = 0;
    if (runs) {
      struct stat about {};
      plan.copied_descriptor = 3 + request.loaded;
      if (fstat(request.descriptors.at(static_cast<size_t>(request.loaded)), &about) == 0)
        artifact_bytes = static_cast<uint64_t>(about.st_size);
    } else if (!request.directory.empty()) {
      plan.steps.push_back({root_step::kind::scratch, request.directory, "w"});
      plan.directory = "/w";
    }
    uint64_t bytes = (root_bytes + artifact_bytes + page_bytes - 1) / page_bytes * page_bytes;
    plan.root_limits = "mode=755,nr_inodes=" + std::string(root_inodes) + ",size=" + std::to_string(bytes);
  }
  if (runs)
    what.arguments.push_back(private_root ? artifact_path_in_root
                                          : "/proc/self/fd/" + std::to_string(3 + request.loaded));
  plan.no_new_privileges = true;
  if (defences_.landlock) {
    auto ruleset = make_ruleset(readable, runs ? "" : request.directory, what.program_fd);
    if (!ruleset) return ruleset.failure();
    plan.ruleset = kept.keep(*ruleset);
  }
  if (!runs && defences_.system_calls) plan.filter = &compiler_filter();
  what.confinement = std::move(plan);
  return kept;
}

}  // namespace kope
