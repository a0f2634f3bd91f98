// The reference under other compiler flags: what somebody reaches who changes no line. Blocking; main thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/workplace.hpp"

namespace kope::bench {

/// Flags that a careful user would try, each on the toolchain's allow-list. They follow the baseline's own.
const std::vector<std::vector<std::string>>& flag_sets();

/// The task's reference in its own type under these flags.
result<build> compile_reference(workplace& at, std::string_view task_name, const std::vector<std::string>& flags);

}  // namespace kope::bench
