// Tasks from their folders: task.toml and reference.cpp. Strict: the first mistake is one sentence with file and line.
// docs/TASKS.md describes the format for people. Any thread; reads files, runs nothing.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "messages/parcel.hpp"
#include "messages/result.hpp"
#include "messages/task.capnp.h"

namespace kope {

/// What a verdict rests on besides the cases; both enter Task.check, so that raising one makes old verdicts of a
/// different check. Raise `verifier_version` when the way of verifying changes, `tolerances_version` when a bound does.
constexpr std::string_view verifier_version = "1";
constexpr std::string_view tolerances_version = "1";

/// Bounds of the cases (docs/TASKS.md says why): verification runs all visible and hidden cases for every candidate
/// and with the oracle, timing keeps several slots of a timed case in a runner's 64 MiB.
constexpr double untimed_flops_max = 0.1e9;
constexpr double timed_flops_max = 4e9;
constexpr double drawn_flops_max = 0.02e9;  ///< at the upper end of the ranges: one more shape each verification
constexpr double untimed_tensor_bytes_max = 4.0 * (1 << 20);
constexpr double timed_tensor_bytes_max = 32.0 * (1 << 20);
constexpr double case_bytes_max = 64.0 * (1 << 20);  ///< all tensors of a case: one slot fits a runner

/// errc::not_found when there is no such folder or file, errc::invalid_input for what it says.
result<parcel<wire::Task>> load_task(const std::filesystem::path& directory);

/// Every folder of `root` that holds a task.toml, in order of names. A folder is named like its task. One bad task is
/// an error for all, because a list without it would hide the mistake.
result<std::vector<parcel<wire::Task>>> load_tasks(const std::filesystem::path& root);

/// By the name of a folder of `root`, or, when `name` has a slash, by the path of any task folder
/// or of its task.toml.
/// errc::not_found names the nearest task and all there are.
result<parcel<wire::Task>> find_task(const std::filesystem::path& root, std::string_view name);

}  // namespace kope
