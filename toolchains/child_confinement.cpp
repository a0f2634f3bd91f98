#include "toolchains/child_confinement.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

// Instrumentation keeps books about stacks and would mix up the child's with ours.
#define KOPE_CHILD_CODE __attribute__((no_sanitize("address", "undefined"), noinline))

namespace kope {
namespace {

KOPE_CHILD_CODE bool make_file(const char* path, mode_t mode) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return false;
  close(fd);
  return true;
}

KOPE_CHILD_CODE bool bind(const char* source, const char* target, uint64_t attributes) {
  if (mount(source, target, nullptr, MS_BIND | MS_REC, nullptr) != 0) return false;
  mount_attr set{};
  set.attr_set = attributes;
  // Recursive: a read-only /usr with a writable file system mounted below it would be none.
  return syscall(SYS_mount_setattr, AT_FDCWD, target, AT_RECURSIVE, &set, sizeof set) == 0;
}

KOPE_CHILD_CODE bool make_step(const root_step& step) {
  constexpr uint64_t read_only = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  constexpr uint64_t scratch = MOUNT_ATTR_NOEXEC | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  const char* source = step.source.c_str();
  const char* target = step.target.c_str();
  switch (step.what) {
    case root_step::kind::directory:
      return mkdir(target, 0755) == 0 || errno == EEXIST;
    case root_step::kind::link:
      return symlink(source, target) == 0;
    case root_step::kind::bind_directory:
      return (mkdir(target, 0755) == 0 || errno == EEXIST) && bind(source, target, read_only);
    case root_step::kind::bind_file:
      return make_file(target, 0444) && bind(source, target, read_only);
    case root_step::kind::scratch:
      return mkdir(target, 0700) == 0 && bind(source, target, scratch);
  }
  return false;
}

// The runner cannot open a descriptor by name without /proc, and has none.
KOPE_CHILD_CODE bool copy_artifact(int from, int ruleset) {
  int to = open("artifact.so", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
  struct stat about {};
  if (to < 0 || fstat(from, &about) != 0) return false;
  off_t at = 0;
  while (at < about.st_size) {
    ssize_t sent = sendfile(to, from, &at, static_cast<size_t>(about.st_size - at));
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
  }
  landlock_path_beneath_attr rule{};
  rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
  rule.parent_fd = to;
  if (ruleset >= 0 && syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) return false;
  close(to);
  return true;
}

}  // namespace

KOPE_CHILD_CODE const char* enter_private_root(const confinement_plan& plan, int ruleset) {
  if (plan.root.empty()) return nullptr;
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "mount: private";
  if (mount("kope", plan.root.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, plan.root_limits.c_str()) != 0)
    return "mount: tmpfs";
  if (chdir(plan.root.c_str()) != 0) return "chdir: root";
  for (const auto& step : plan.steps)
    if (!make_step(step)) return "mount: private root";
  if (plan.copied_descriptor >= 0 && !copy_artifact(plan.copied_descriptor, ruleset)) return "artifact in private root";
  // The old root comes to lie on the new one and is taken off it: no directory for it is needed.
  if (syscall(SYS_pivot_root, ".", ".") != 0) return "pivot_root";
  if (umount2(".", MNT_DETACH) != 0) return "umount2";
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  if (syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &read_only, sizeof read_only) != 0) return "mount_setattr";
  if (chdir(plan.directory.c_str()) != 0) return "chdir";
  return nullptr;
}

KOPE_CHILD_CODE const char* become_other_user(const confinement_plan& plan) {
  if (plan.leaves_groups && syscall(SYS_setgroups, 0, nullptr) != 0) return "setgroups";
  if (plan.group >= 0 && syscall(SYS_setresgid, plan.group, plan.group, plan.group) != 0) return "setresgid";
  if (plan.user >= 0 && syscall(SYS_setresuid, plan.user, plan.user, plan.user) != 0) return "setresuid";
  return nullptr;
}

KOPE_CHILD_CODE const char* give_up_files_and_calls(const confinement_plan& plan, int ruleset) {
  if (plan.no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "PR_SET_NO_NEW_PRIVS";
  if (ruleset >= 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) return "landlock_restrict_self";
  if (plan.filter != nullptr && plan.filter->install(false) != 0) return "seccomp";
  return nullptr;
}

}  // namespace kope
