// Can a task tell a right kernel from a wrong one? Published suites were full of tasks that could not: outputs within
// the tolerance of zero, outputs that do not depend on the inputs, references with a state. Blocking: runs the oracle
// and the reference on a few sets of every case. Main thread (`kope task check`) or a device thread.
#pragma once

#include <string>
#include <vector>

#include "actors/evaluation/case_bank.hpp"
#include "messages/result.hpp"

namespace kope {

struct case_finding {
  std::string of;    ///< name of the case
  std::string what;  ///< one clause: "zeros pass"
  bool fatal = false;
};

struct task_findings {
  std::vector<case_finding> cases;  ///< at most one a case
  std::string why;                  ///< why the task is not fit, one sentence; empty when it is
};

/// A timed case that tells nothing is fatal, and so are visible ones of which more than half tell nothing: a special
/// case may well have an answer that anybody could guess (rows of one element), a task may not. The reference in the
/// task's type has to pass verification, on two drawn shapes. Errors are ours or the reference's.
result<task_findings> check_task(runner& with, case_bank& bank, const std::vector<int>& cpus);

}  // namespace kope
