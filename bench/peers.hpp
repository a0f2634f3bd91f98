// Libraries that have an operator of ours: what people would call instead. Each is compiled into an artifact for the
// same runner, so that everybody is timed by one protocol, on one thread; what can be made once (a primitive, a choice
// of kernel) is made at the first call. Blocking; main thread.
//
// A peer gets nothing of this program's environment (a runner's is empty but for the thread count), so variables that
// choose a library's kernels or its cache sizes do not bend the comparison.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workplace.hpp"

namespace kope::bench {

struct peer {
  std::string library;            ///< "OpenBLAS"
  std::optional<build> artifact;  ///< nothing: the library cannot be used here
  std::string about;              ///< what the library says it is, or why it cannot be used, naming the package
};

/// All libraries that have this task's operator, in the order of the catalogue. Errors are ours: a source here that
/// does not compile although its library is there.
result<std::vector<peer>> compile_peers(workplace& at, std::string_view task_name);

/// Tasks of which some library has the operator.
std::vector<std::string_view> tasks_with_peers();

}  // namespace kope::bench
