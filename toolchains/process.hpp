// All child processes of the program, owned by one thread: it launches, limits, cancels and reaps them (epoll on
// pidfds and pipes), so that no worker blocks and PDEATHSIG, which fires when the launching *thread* ends, fires
// exactly when the program does. A child is made by one clone(CLONE_VM|CLONE_VFORK|CLONE_PIDFD|namespaces) + exec:
// a large parent copies nothing, and the child is a direct child, which freezing needs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "messages/result.hpp"
#include "toolchains/sandbox.hpp"

namespace kope {

/// Limits of one child and all that it starts. 0 means "the kernel's default".
struct process_limits {
  std::chrono::milliseconds wall{10'000};  ///< then the whole tree is killed
  uint32_t cpu_seconds = 10;
  uint64_t address_space_bytes = 2ull << 30;
  uint64_t file_bytes = 64ull << 20;  ///< largest file it may write
  uint32_t processes = 64;
  uint32_t open_files = 64;
  size_t output_bytes = 64 << 10;  ///< stdout and stderr together; more is read and dropped, never blocks it
};

struct process_request {
  std::vector<std::string> arguments;    ///< [0] is the program, absolute or looked up in PATH
  std::vector<std::string> environment;  ///< "NAME=value"; nothing of ours is inherited
  std::string directory;                 ///< working directory, must exist
  std::vector<int> descriptors;          ///< arrive as 3, 4, 5, …; closed in the parent by their owner, not here
  process_limits limits;
  std::vector<int> cpus;  ///< pinned to these; empty: not pinned
  sandbox_profile profile = sandbox_profile::none;
  /// For the profile `runner`: index in `descriptors` of what it is to load. Where that can be opened is appended to
  /// the arguments by the host: a private root has no /proc.
  int loaded = -1;
  bool urgent = false;  ///< scheduled before ordinary processes where the system allows it; not an error where not
};

enum class process_end { exited, signalled, timed_out, cancelled };

struct process_report {
  process_end end = process_end::exited;
  int status = 0;      ///< exit status, or the signal's number
  std::string output;  ///< stdout and stderr interleaved, capped; valid UTF-8 (others replaced)
  bool output_cut = false;
  double wall_seconds = 0;
  double cpu_seconds = 0;  ///< of the direct child and what it waited for
  /// Largest resident set. 0: unknown, because it was below this program's own, which the kernel counts in over exec.
  uint64_t peak_bytes = 0;
};

using process_id = uint64_t;  ///< ours, never reused; not the kernel's

/// A live child as its owner may touch it: for freezing only. Valid until the report was delivered.
struct process_handle {
  process_id id = 0;
  pid_t pid = -1;  ///< direct child of this program
  int pidfd = -1;  ///< owned by the host
};

struct process_counts {
  uint64_t started = 0, running = 0, timed_out = 0, killed = 0, refused = 0;
};

/// How children are held. `process_group` is for tests of the weakest level and for machines where namespaces
/// misbehave.
enum class process_isolation { strongest_allowed, process_group };

/// Two descriptors a child; at most 64 attempts a core are in flight, and few of them in children.
constexpr size_t children_max = 512;

class process_host {
public:
  /// `scratch` is a directory of ours: one subdirectory a child is the caller's affair; the host keeps there the list
  /// of children that a later start sweeps (`sweep`).
  explicit process_host(std::string scratch, process_isolation isolation = process_isolation::strongest_allowed,
                        sandbox_defences defences = {});
  ~process_host();  ///< kills every child, reaps, joins
  process_host(const process_host&) = delete;
  process_host& operator=(const process_host&) = delete;

  /// Any thread. `done` is called once, on the host's thread: it must only post a message. A program that cannot be
  /// started is errc::tool_missing and names it; `done` is then not called. Takes as long as the exec (milliseconds).
  /// `done` may run before start() has returned.
  result<process_handle> start(const process_request& request, std::function<void(process_report)> done);

  /// Any thread, never blocks: kills the whole tree; `done` follows with process_end::cancelled, or with the
  /// child's own end if that came first.
  void cancel(process_id id);

  /// Blocking convenience for start-up, doctor and tests; never on a scheduler thread.
  result<process_report> run(const process_request& request);

  process_counts counts() const;

  /// Whether children get a PID namespace of their own (so that killing the first kills all) or only a process group;
  /// probed once at construction.
  bool has_pid_namespace() const;

  /// How children with a sandbox profile are held; probed once at construction. Any thread.
  const sandbox_report& sandbox() const;

  /// Kills what an earlier program that was killed left behind (process groups of its list whose processes carry the
  /// marker variable KOPE_CHILD=<scratch> in their environment). Called once at start. Returns how many.
  size_t sweep();

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace kope
