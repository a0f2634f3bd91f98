// A planned kernel as a task folder: task.toml and reference.c as texts. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/own_kernel/kernel_plan.hpp"

namespace kope {

struct task_wishes {
  std::string name;  ///< of the task
  std::string title;
  /// --case: each is a timed case, values by his names or the task's; sizes that are not named take the default.
  std::vector<std::map<std::string, int64_t>> cases;
  std::map<std::string, int64_t> multiples;  ///< --multiple: generated sizes are multiples of these
  std::vector<std::string> baseline_flags;
  bool as_given = false;  ///< Task.oracle; otherwise widened where the type allows it
};

struct task_texts {
  std::string task;                  ///< task.toml
  std::string reference;             ///< reference.c
  std::vector<std::string> remarks;  ///< what was inferred or chosen, one sentence each, for the person
};

/// `source`: his file with his headers inlined. errc::invalid_input: a case names no size, or is too large.
result<task_texts> task_texts_of(const kernel_plan& plan, const task_wishes& wishes, const std::string& source);

}  // namespace kope
