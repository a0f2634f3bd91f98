// What `run FILE.c` and `task new` share, and where tasks are kept that a later command needs again. Main thread.
#pragma once

#include <string>
#include <vector>

#include "config/run_options.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/own_kernel/own_kernel.hpp"
#include "messages/graph.capnp.h"

namespace kope {

/// Makes the task, asks on a terminal for what is not to be seen in the code, and says on stderr what was inferred.
result<own_kernel> own_kernel_of(const run_options& options, const std::string& file,
                                 const std::vector<std::string>& cases, const own_kernel_arguments& own,
                                 const std::string& folder);

/// A task folder from anywhere is copied to <data>/tasks, so that `best` and `explain` find it again; nothing for the
/// tasks that ship.
result<unit> keep_task(const run_options& options, const std::string& name, const task& of);

/// The task of an exploration: that ships, or was kept. errc::not_found says which is missing.
result<task> task_of(const run_options& options, wire::ExplorationSpec::Reader spec);

}  // namespace kope
