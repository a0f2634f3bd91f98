// The clone + exec part of a child's start. Only process.cpp uses it, on the host's one thread: PDEATHSIG follows the
// thread that launched. Nothing here is shared with other threads.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "toolchains/child_confinement.hpp"
#include "toolchains/process.hpp"

namespace kope {

/// How a child is held, strongest last. A PID namespace needs CAP_SYS_ADMIN, or a user namespace around it.
enum class child_hold { process_group, user_and_pid_namespace, pid_namespace };

struct started_child {
  pid_t pid = -1;
  int pidfd = -1;  ///< belongs to the caller
};

/// What an exec needs, resolved before the clone: the child shares our memory until exec and must not allocate.
struct child_start {
  std::string program;  ///< absolute
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string directory;
  std::vector<int> descriptors;
  int output = -1;  ///< becomes stdout and stderr
  process_limits limits;
  bool limited = true;       ///< sandbox_defences::limits
  bool dies_with_us = true;  ///< sandbox_defences::death_signal
  std::vector<int> cpus;
  bool urgent = false;  ///< process_request says
  std::optional<confinement_plan> confinement;
  int program_fd = -1;  ///< executed instead of the path, which a private root need not have; the caller's
  int namespaces = 0;   ///< clone flags beside those of the hold
};

/// The child's stack until exec, and what does not change from child to child. One child at a time uses it, which
/// CLONE_VFORK guarantees: the launching thread sleeps until the exec.
class child_launcher {
public:
  child_launcher();
  ~child_launcher();
  child_launcher(const child_launcher&) = delete;
  child_launcher& operator=(const child_launcher&) = delete;

  /// Returns after the exec. errc::tool_missing when the program cannot be executed, errc::io otherwise; the text names
  /// the program and the step that failed.
  result<started_child> start(const child_start& what, child_hold hold);

private:
  void* stack_ = nullptr;
  int null_ = -1;    ///< every child's stdin
  int parent_ = -1;  ///< pidfd of this program: tells a child that we died before PDEATHSIG was set
};

/// What a level is tried with: `true`, wherever PATH points, for a poor PATH says nothing about the kernel.
result<std::string> probe_program();

/// Absolute path of a program as a shell would find it. errc::tool_missing names it.
result<std::string> find_program(const std::string& name);

}  // namespace kope
