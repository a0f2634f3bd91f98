#include "toolchains/programs/runner/confine.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include "toolchains/syscall_filter.hpp"

namespace kope {
namespace {

runner_page::control* shared_page = nullptr;

// The one call that the filter answers with the end of the process, so that the handler below can end it as SIGSYS.
constexpr long call_that_kills = SYS_reboot;

// What the candidate could do with this handler is to name a call that it never made: the parent only quotes it.
void on_refused_call(int, siginfo_t* what, void*) {
  shared_page->refused_call = static_cast<uint32_t>(what->si_syscall) + 1;
  syscall(call_that_kills);
}

// Memory, threads and their waiting, clocks, its own signals, what is open already, and the end. In order of use.
constexpr int needed[] = {
    SYS_futex,
    SYS_sched_yield,
    SYS_madvise,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_brk,
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_exit,
    SYS_exit_group,
    SYS_getpid,
    SYS_gettid,
    SYS_rseq,
    SYS_sched_getaffinity,
    SYS_getcpu,
    SYS_set_robust_list,
    SYS_membarrier,
    SYS_set_tid_address,
    SYS_getrandom,
    SYS_getrusage,
    SYS_sysinfo,
    SYS_uname,
    SYS_read,
    SYS_write,
    SYS_close,
    SYS_lseek,
    SYS_fstat,
#if defined(SYS_arch_prctl)
    SYS_arch_prctl,
#endif
};

// What the loader asks of files.
constexpr int loading[] = {
    SYS_pread64, SYS_newfstatat, SYS_readlinkat, SYS_faccessat, SYS_faccessat2, SYS_getdents64,
#if defined(SYS_access)
    SYS_access,  SYS_readlink,
#endif
};

// What libraries try and can do without: libgomp binds threads, stdio asks for a terminal, an allocator asks how the
// machine is set up, OpenBLAS places memory.
constexpr int missed_by_nobody[] = {
    SYS_ioctl, SYS_fcntl,         SYS_prctl,         SYS_sched_setaffinity, SYS_sched_getparam, SYS_sched_getscheduler,
    SYS_mbind, SYS_get_mempolicy, SYS_set_mempolicy, SYS_setpriority,       SYS_getpriority,    SYS_writev,
    SYS_statx,
#if defined(SYS_open)
    SYS_open,  SYS_stat,          SYS_lstat,
#endif
};

}  // namespace

bool confine_loading(runner_page::control& page) {
  shared_page = &page;
  struct sigaction refused {};
  refused.sa_sigaction = on_refused_call;
  refused.sa_flags = SA_SIGINFO;
  if (sigaction(SIGSYS, &refused, nullptr) != 0) return false;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;

  constexpr uint32_t allowed = syscall_filter::allowed;
  constexpr uint32_t trapped = syscall_filter::trapped;
  syscall_filter filter;
  filter.rules(needed, allowed);
  // A process of its own would go on while the runner is frozen. clone3 hides its flags behind a pointer; glibc falls
  // back to clone.
  filter.rule_on_bits(SYS_clone, 0, CLONE_THREAD, allowed, trapped);
  filter.rule(SYS_clone3, syscall_filter::refused(ENOSYS));
  filter.rule_on_value(SYS_rt_sigaction, 0, SIGSYS, trapped, allowed);
  // abort() and raise()
  filter.rule_on_value(SYS_tgkill, 0, static_cast<uint32_t>(getpid()), allowed, trapped);
  // reading a limit, not changing one
  filter.rule_on_value(SYS_prlimit64, 2, 0, allowed, syscall_filter::refused(EPERM));
  filter.rule_on_bits(SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, syscall_filter::refused(EACCES), allowed);
  filter.rules(loading, allowed);
  filter.rules(missed_by_nobody, syscall_filter::refused(EPERM));
  filter.rule(SYS_seccomp, allowed);  // for confine_running
  filter.rule(call_that_kills, syscall_filter::killed);
  filter.everything_else(trapped);
  return filter.install(false) == 0;
}

bool confine_running() {
  syscall_filter filter;
  filter.rule(SYS_openat, syscall_filter::refused(EACCES));
  filter.rules(loading, syscall_filter::refused(EACCES));
  filter.rule(SYS_seccomp, syscall_filter::trapped);
  filter.everything_else(syscall_filter::allowed);
  return filter.install(true) == 0;
}

}  // namespace kope
