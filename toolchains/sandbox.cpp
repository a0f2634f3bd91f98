#include "toolchains/sandbox.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

#include <filesystem>

#include "toolchains/child_confinement.hpp"

namespace kope {
namespace {

// Landlock's version 6, of which older headers know the first field alone. A kernel takes as many bytes as it knows.
struct ruleset_attributes {
  uint64_t files = 0;
  uint64_t network = 0;  // since 4: bind and connect
  uint64_t scopes = 0;   // since 6: signals and abstract sockets
};

constexpr uint64_t execute = 1 << 0;
constexpr uint64_t write_file = 1 << 1;
constexpr uint64_t read_file = 1 << 2;
constexpr uint64_t truncate_file = 1 << 14;
constexpr uint64_t of_plain_files = execute | write_file | read_file | truncate_file;
constexpr uint64_t read_directory = 1 << 3;
constexpr uint64_t remove_file = 1 << 5;
constexpr uint64_t make_regular = 1 << 8;

// Every right that a version knows is taken away; the rules give back.
uint64_t rights_of(int version) {
  uint64_t rights = (1 << 13) - 1;
  if (version >= 2) rights |= 1 << 13;
  if (version >= 3) rights |= 1 << 14;
  if (version >= 5) rights |= 1 << 15;
  return rights;
}

error failed(const char* step) { return {errc::io, std::string("Landlock: ") + step + ": " + strerror(errno)}; }

result<unit> add_rule(int ruleset, int beneath, uint64_t rights) {
  struct stat about {};
  if (fstat(beneath, &about) != 0) return failed("fstat");
  if (!S_ISDIR(about.st_mode)) rights &= of_plain_files;  // others on a file are an error
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights;
  rule.parent_fd = beneath;
  if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) return failed("add_rule");
  return unit{};
}

result<unit> add_rule(int ruleset, const std::string& path, uint64_t rights) {
  int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? result<unit>(unit{}) : result<unit>(failed(path.c_str()));
  auto added = add_rule(ruleset, fd, rights);
  close(fd);
  return added;
}

bool is_link(const std::string& path) { return std::filesystem::is_symlink(path); }

}  // namespace

std::string_view level_name(sandbox_level level) {
  switch (level) {
    case sandbox_level::process_group:
      return "process_group";
    case sandbox_level::pid_namespace:
      return "pid_namespace";
    case sandbox_level::lite:
      return "lite";
    case sandbox_level::full:
      break;
  }
  return "full";
}

std::string describe(const sandbox_report& report) {
  std::string text(level_name(report.level));
  for (const auto& each : report.missing) text += "; " + each;
  if (report.level < sandbox_level::lite)
    text +=
        "; candidates are untrusted code and are not run at this level: use a kernel with Landlock and seccomp (Linux "
        "5.13 or later, both enabled), and in a container allow user namespaces or these two system calls";
  return text;
}

std::vector<root_step> readable_places(sandbox_profile profile) {
  using kind = root_step::kind;
  std::vector<root_step> places;
  auto add = [&](const std::string& path, kind what) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) places.push_back({what, path, path.substr(1)});
  };
  // The loader finds libraries and the compiler its parts below /usr. Libraries with several versions (BLAS) and the
  // compiler itself may be links through alternatives.
  if (profile == sandbox_profile::compiler) {
    add("/usr", kind::bind_directory);
  } else {
    places.push_back({kind::directory, "", "usr"});
    for (const char* path : {"/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/libx32"})
      if (is_link(path))
        places.push_back({kind::link, std::filesystem::read_symlink(path).string(), path + 1});
      else
        add(path, kind::bind_directory);
  }
  for (const char* path : {"/lib", "/lib64", "/bin"})
    if (is_link(path))
      places.push_back({kind::link, std::filesystem::read_symlink(path).string(), path + 1});
    else
      add(path, kind::bind_directory);
  places.push_back({kind::directory, "", "etc"});
  add("/etc/alternatives", kind::bind_directory);
  add("/etc/ld.so.cache", kind::bind_file);
#if defined(__aarch64__)
  // -march=native asks it there
  places.push_back({kind::directory, "", "proc"});
  if (profile == sandbox_profile::compiler) add("/proc/cpuinfo", kind::bind_file);
#endif
  return places;
}

result<int> make_ruleset(const std::vector<root_step>& readable, const std::string& directory, int program) {
  long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return failed("this kernel has none or it is switched off");
  ruleset_attributes all;
  all.files = rights_of(static_cast<int>(version));
  all.network = 3;
  all.scopes = 3;
  size_t bytes = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  int ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &all, bytes, 0));
  if (ruleset < 0) return failed("create_ruleset");
  auto give_up = [&](const error& why) {
    close(ruleset);
    return why;
  };
  for (const auto& place : readable) {
    if (place.what != root_step::kind::bind_directory && place.what != root_step::kind::bind_file) continue;
    auto added = add_rule(ruleset, place.source, execute | read_file | read_directory);
    if (!added) return give_up(added.failure());
  }
  // Files that it makes there itself, no directories, links or devices.
  if (!directory.empty()) {
    uint64_t rights = write_file | read_file | read_directory | remove_file | make_regular | truncate_file;
    auto added = add_rule(ruleset, directory, rights & all.files);
    if (!added) return give_up(added.failure());
  }
  if (program >= 0) {
    auto added = add_rule(ruleset, program, execute | read_file);
    if (!added) return give_up(added.failure());
  }
  return ruleset;
}

const syscall_filter& compiler_filter() {
  static const syscall_filter made = [] {
    constexpr int refused[] = {
      // other processes, at level lite the user's own
      SYS_kill,
      SYS_tkill,
      SYS_tgkill,
      SYS_rt_sigqueueinfo,
      SYS_rt_tgsigqueueinfo,
      SYS_pidfd_send_signal,
      SYS_pidfd_open,
      SYS_pidfd_getfd,
      SYS_ptrace,
      SYS_process_vm_readv,
      SYS_process_vm_writev,
      SYS_process_madvise,
      SYS_kcmp,
      SYS_setpriority,
      SYS_sched_setattr,
      SYS_sched_setscheduler,
      SYS_sched_setparam,
      SYS_ioprio_set,
      SYS_migrate_pages,
      SYS_move_pages,
      // a session or group of its own would outlive the kill of its group
      SYS_setsid,
      SYS_setpgid,
      // network, and what outlives a process
      SYS_socket,
      SYS_socketpair,
      SYS_shmget,
      SYS_shmat,
      SYS_msgget,
      SYS_semget,
      SYS_mq_open,
      SYS_add_key,
      SYS_request_key,
      SYS_keyctl,
      SYS_memfd_create,
      // names in its directory that we would follow or could not remove
      SYS_symlinkat,
      SYS_linkat,
      SYS_mknodat,
      SYS_mkdirat,
      // the system
      SYS_mount,
      SYS_umount2,
      SYS_pivot_root,
      SYS_chroot,
      SYS_unshare,
      SYS_setns,
      SYS_open_tree,
      SYS_move_mount,
      SYS_fsopen,
      SYS_fsmount,
      SYS_fsconfig,
      SYS_fspick,
      SYS_mount_setattr,
      SYS_bpf,
      SYS_perf_event_open,
      SYS_userfaultfd,
      SYS_io_uring_setup,
      SYS_io_uring_enter,
      SYS_io_uring_register,
      SYS_kexec_load,
      SYS_init_module,
      SYS_finit_module,
      SYS_delete_module,
      SYS_reboot,
      SYS_swapon,
      SYS_swapoff,
      SYS_personality,
      SYS_name_to_handle_at,
      SYS_open_by_handle_at,
      SYS_fanotify_init,
      SYS_acct,
      SYS_quotactl,
      SYS_syslog,
      SYS_sethostname,
      SYS_setdomainname,
      SYS_settimeofday,
      SYS_clock_settime,
      SYS_clock_adjtime,
      SYS_adjtimex,
#if defined(SYS_symlink)
      SYS_symlink,
      SYS_link,
      SYS_mknod,
      SYS_mkdir,
#endif
    };
    constexpr uint32_t no = syscall_filter::refused(EPERM);
    constexpr uint32_t namespaces =
        CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
    syscall_filter filter;
    filter.rules(refused, no);
    filter.rule(SYS_clone3, syscall_filter::refused(ENOSYS));  // glibc then takes clone, whose flags can be seen
    filter.rule_on_bits(SYS_clone, 0, namespaces, no, syscall_filter::allowed);
    filter.rule_on_value(SYS_prlimit64, 0, 0, syscall_filter::allowed, no);  // 0: itself
    filter.everything_else(syscall_filter::allowed);
    return filter;
  }();
  return made;
}

}  // namespace kope
