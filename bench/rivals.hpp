// What a winner is compared with besides the reference: the reference under other compiler flags, and OpenBLAS. Both
// are artifacts for the same runner, so that everybody is timed by one protocol. Blocking; main thread.
//
// OpenBLAS gets nothing of this program's environment (a runner's is empty but for the thread count), so variables that
// choose its kernels or its cache sizes do not bend the comparison.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workplace.hpp"

namespace kope::bench {

/// Flags that a careful user would try, each on the toolchain's allow-list. They follow the baseline's own.
const std::vector<std::vector<std::string>>& flag_sets();

/// The task's reference in its own type under these flags.
result<build> compile_reference(workplace& at, std::string_view task_name, const std::vector<std::string>& flags);

/// The library's kernel for this task, or nothing when the library has none. errc::tool_missing names the package when
/// the library is not installed.
result<std::optional<build>> compile_peer(workplace& at, std::string_view task_name);

/// Version and core type that the library chose in a runner, as it says it.
result<std::string> peer_description(workplace& at);

}  // namespace kope::bench
