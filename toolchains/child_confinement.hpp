// What a sandboxed child does to itself between clone and exec: enters a root of its own, becomes another user, gives
// up files and system calls. Everything is prepared before the clone (confinement_plan), because the child runs on our
// memory: it only makes system calls, through no wrapper that would tell our other threads (glibc's setresuid does).
// Used by child_start.cpp and process.cpp on the host's thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "toolchains/sandbox.hpp"
#include "toolchains/syscall_filter.hpp"

namespace kope {

/// One thing in the private root, in the order of making. `target` is relative to the root.
struct root_step {
  enum class kind : uint8_t { directory, link, bind_directory, bind_file, scratch } what = kind::directory;
  std::string source;  ///< of a bind: absolute path outside; of a link: what it says
  std::string target;
};

struct confinement_plan {
  std::string root;         ///< directory to mount the private root on; empty: no private root
  std::string root_limits;  ///< options of its tmpfs
  std::vector<root_step> steps;
  std::string directory;          ///< working directory inside, when there is a private root
  int copied_descriptor = -1;     ///< its content becomes /artifact.so in the private root
  bool leaves_groups = false;     ///< drops supplementary groups (only root can)
  int64_t user = -1, group = -1;  ///< -1: stays who it is
  int ruleset = -1;               ///< Landlock's, made before the clone; whoever made the plan closes it
  bool no_new_privileges = false;
  const syscall_filter* filter = nullptr;
};

/// Where the child's descriptor can be opened from inside.
inline constexpr const char* artifact_path_in_root = "/artifact.so";

/// In the child. The failed step's name with errno, or null. Async-signal-safe, allocates nothing. `ruleset`: the
/// plan's, by its number in the child; it learns of the artifact, which only now becomes a file.
const char* enter_private_root(const confinement_plan& plan, int ruleset);
/// After limits were set: user, then (PDEATHSIG is lost by changing it) the rest.
const char* become_other_user(const confinement_plan& plan);
const char* give_up_files_and_calls(const confinement_plan& plan, int ruleset);

/// Libraries and tools that a profile may read, as they lie on this machine; read once.
std::vector<root_step> readable_places(sandbox_profile profile);

/// A Landlock ruleset for reading `readable` (and executing below it) and writing below `directory`, if not empty.
/// errc::io names the missing feature.
result<int> make_ruleset(const std::vector<root_step>& readable, const std::string& directory, int program);

/// The compiler's filter: everything that a compiler never does is refused, so that a failed attempt is an error of the
/// build and not a death.
const syscall_filter& compiler_filter();

}  // namespace kope
