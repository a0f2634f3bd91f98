// A user's C file becomes a task folder: read by the compiler, planned, written, and run once to see that it holds.
// Main thread; blocks for the compiler and for the trial.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/run_options.hpp"
#include "daemon/tool_box.hpp"
#include "messages/result.hpp"

namespace kope {

struct own_kernel_wishes {
  std::string file;
  std::string function;                ///< empty: the only one that can be meant
  std::string name;                    ///< of the task; empty: from file and function
  std::vector<std::string> cases;      ///< "N=1024,M=512"
  std::vector<std::string> extents;    ///< "A=N*M"
  std::vector<std::string> multiples;  ///< "N=8"
  std::string flags;                   ///< his own, the baseline's
  std::filesystem::path folder;        ///< where the task goes; empty: <data>/tasks/<name>-<hash>
  /// Asks a person for an extent; empty: nobody is there.
  std::function<std::optional<std::string>(const std::string& question)> ask;
};

struct own_kernel {
  std::filesystem::path folder;
  task of;
  std::vector<std::string> remarks;  ///< what was inferred and chosen, for the person
};

/// errc::invalid_input and errc::not_found are one sentence about his file that says what to do.
result<own_kernel> make_own_kernel(const run_options& options, const own_kernel_wishes& wishes);

/// "matmul.c" and the like: what `run` takes for a file rather than for a task.
bool is_c_file(const std::string& argument);

}  // namespace kope
