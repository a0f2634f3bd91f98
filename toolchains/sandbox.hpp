// How a child that handles untrusted text or code is held. Levels, from the weakest: what the machine allows is found
// by really starting a child (process_host), is stored with every result, and below `lite` nothing untrusted is run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kope {

enum class sandbox_level : uint8_t {
  process_group,  ///< limits alone; killed by group and marker
  pid_namespace,  ///< limits; the kernel kills all that it started
  lite,           ///< no namespaces for files and network: other user where we are root, limits, Landlock, seccomp
  full,           ///< namespaces (files, network, IPC, names, processes) with a root of its own, and all of `lite`
};

/// "process_group", "pid_namespace", "lite", "full".
std::string_view level_name(sandbox_level level);

/// What a child is for, and so what it may do.
enum class sandbox_profile : uint8_t {
  none,      ///< a tool of ours on data of ours: version reports, helpers
  compiler,  ///< reads /usr, writes its directory, starts programs of /usr; no network, nothing of other processes
  runner,    ///< reads libraries alone, writes no file; gives up system calls by itself before it loads a candidate
};

/// Each defence by itself. All are on; tests switch one off to see that an attack then works. Not reachable from the
/// command line.
struct sandbox_defences {
  bool namespaces = true;  ///< off: level lite at most
  bool private_root = true;
  bool other_user = true;
  bool landlock = true;
  bool system_calls = true;  ///< the compiler's filter; the runner's own is host_runner_options::confined
  bool limits = true;        ///< resource limits, of every child
  bool death_signal = true;  ///< a child dies with this program, without a sweep
};

/// What a host found out when it started.
struct sandbox_report {
  sandbox_level level = sandbox_level::process_group;
  std::vector<std::string> missing;  ///< why each level above it cannot be had: "full: mount: Operation not permitted"
};

/// The level with what it lacks, and what to do about it when it is too weak for candidates.
std::string describe(const sandbox_report& report);

}  // namespace kope
