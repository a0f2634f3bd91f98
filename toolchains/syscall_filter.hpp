// A seccomp filter, assembled without allocating: a child installs it between clone and exec, on memory that it shares
// with us. Raw BPF and not libseccomp, because the runner holds a candidate and loads as little as can be, and because
// libseccomp allocates. Any thread; the filter holds for the thread that installs it and all that it starts.
//
// A filter looks at the call's number and at the low half of one argument. Foreign calling conventions (32 bit, x32)
// end the process: their numbers mean other calls.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kope {

class syscall_filter {
public:
  static constexpr uint32_t allowed = SECCOMP_RET_ALLOW;
  static constexpr uint32_t killed = SECCOMP_RET_KILL_PROCESS;
  static constexpr uint32_t trapped = SECCOMP_RET_TRAP;  ///< SIGSYS with the call's number
  static constexpr uint32_t refused(int number) { return SECCOMP_RET_ERRNO | static_cast<uint32_t>(number); }

  syscall_filter() {
#if defined(__x86_64__)
    constexpr uint32_t machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    constexpr uint32_t machine = AUDIT_ARCH_AARCH64;
#else
#error "no calling convention is known for this machine: its AUDIT_ARCH goes here"
#endif
    load(offsetof(seccomp_data, arch));
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, machine, 1, 0));
    end(killed);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    constexpr uint32_t x32_bit = 0x40000000;
    add(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, x32_bit, 0, 1));
    end(killed);
#endif
  }

  /// The first rule that names a call decides.
  void rule(long call, uint32_t action) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1));
    end(action);
  }
  template <size_t n>
  void rules(const int (&calls)[n], uint32_t action) {
    for (int call : calls) rule(call, action);
  }
  /// `met` when the argument has any of these bits, else `otherwise`.
  void rule_on_bits(long call, int argument, uint32_t bits, uint32_t met, uint32_t otherwise) {
    rule_on(call, argument, BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), met, otherwise);
  }
  void rule_on_value(long call, int argument, uint32_t value, uint32_t met, uint32_t otherwise) {
    rule_on(call, argument, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), met, otherwise);
  }
  void everything_else(uint32_t action) { end(action); }

  /// The program for prctl or seccomp; false when it did not fit.
  bool program(sock_fprog& into) const {
    into.len = static_cast<unsigned short>(size_);
    into.filter = const_cast<sock_filter*>(code_);
    return size_ <= instructions_max;
  }

  /// 0, or -1 with errno. Needs no-new-privileges. `all_threads`: those that run already, too.
  int install(bool all_threads) const {
    sock_fprog whole{};
    if (!program(whole)) return -1;
    return static_cast<int>(
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, all_threads ? SECCOMP_FILTER_FLAG_TSYNC : 0u, &whole));
  }

private:
  // Two instructions a call, five a call whose argument counts; the longest list has about a hundred calls.
  static constexpr size_t instructions_max = 320;

  void add(sock_filter instruction) {
    if (size_ < instructions_max) code_[size_] = instruction;
    ++size_;
  }
  void load(size_t offset) { add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset))); }
  void end(uint32_t action) { add(BPF_STMT(BPF_RET | BPF_K, action)); }
  void rule_on(long call, int argument, sock_filter test, uint32_t met, uint32_t otherwise) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 4));
    load(offsetof(seccomp_data, args) + 8 * static_cast<size_t>(argument));  // the low half: little endian
    add(test);
    end(met);
    end(otherwise);
  }

  sock_filter code_[instructions_max] = {};
  size_t size_ = 0;
};

}  // namespace kope
