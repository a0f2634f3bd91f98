#include "toolchains/syscall_name.hpp"

#include <sys/syscall.h>

namespace kope {
namespace {

struct known_call {
  long number;
  const char* name;
};

#define KOPE_CALL(name) \
  { SYS_##name, #name }
constexpr known_call known[] = {
    KOPE_CALL(clone),
    KOPE_CALL(execve),
    KOPE_CALL(execveat),
    KOPE_CALL(socket),
    KOPE_CALL(socketpair),
    KOPE_CALL(connect),
    KOPE_CALL(bind),
    KOPE_CALL(sendto),
    KOPE_CALL(kill),
    KOPE_CALL(tkill),
    KOPE_CALL(tgkill),
    KOPE_CALL(rt_sigqueueinfo),
    KOPE_CALL(rt_tgsigqueueinfo),
    KOPE_CALL(pidfd_send_signal),
    KOPE_CALL(pidfd_open),
    KOPE_CALL(pidfd_getfd),
    KOPE_CALL(ptrace),
    KOPE_CALL(process_vm_readv),
    KOPE_CALL(process_vm_writev),
    KOPE_CALL(unshare),
    KOPE_CALL(setns),
    KOPE_CALL(mount),
    KOPE_CALL(umount2),
    KOPE_CALL(pivot_root),
    KOPE_CALL(chroot),
    KOPE_CALL(bpf),
    KOPE_CALL(perf_event_open),
    KOPE_CALL(io_uring_setup),
    KOPE_CALL(userfaultfd),
    KOPE_CALL(memfd_create),
    KOPE_CALL(seccomp),
    KOPE_CALL(rt_sigaction),
    KOPE_CALL(setsid),
    KOPE_CALL(setpgid),
    KOPE_CALL(setuid),
    KOPE_CALL(setresuid),
    KOPE_CALL(personality),
    KOPE_CALL(dup),
    KOPE_CALL(pipe2),
    KOPE_CALL(unlinkat),
    KOPE_CALL(mkdirat),
    KOPE_CALL(renameat2),
    KOPE_CALL(linkat),
    KOPE_CALL(symlinkat),
    KOPE_CALL(fchmodat),
    KOPE_CALL(shmget),
    KOPE_CALL(msgget),
    KOPE_CALL(semget),
    KOPE_CALL(keyctl),
    KOPE_CALL(add_key),
    KOPE_CALL(wait4),
    KOPE_CALL(waitid),
    KOPE_CALL(epoll_create1),
    KOPE_CALL(timer_create),
    KOPE_CALL(setitimer),
    KOPE_CALL(chdir),
    KOPE_CALL(ftruncate),
    KOPE_CALL(fallocate),
    KOPE_CALL(sendfile),
#if defined(SYS_fork)
    KOPE_CALL(fork),
    KOPE_CALL(vfork),
    KOPE_CALL(pipe),
    KOPE_CALL(pause),
    KOPE_CALL(dup2),
    KOPE_CALL(unlink),
    KOPE_CALL(mkdir),
    KOPE_CALL(rename),
    KOPE_CALL(creat),
    KOPE_CALL(alarm),
    KOPE_CALL(chmod),
#endif
};
#undef KOPE_CALL

}  // namespace

std::string syscall_name(uint32_t number) {
  for (const auto& call : known)
    if (call.number == static_cast<long>(number)) return call.name;
  return "system call " + std::to_string(number);
}

}  // namespace kope
