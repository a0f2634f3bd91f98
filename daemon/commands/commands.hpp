// The commands of the program: each takes its parsed arguments, prints data to stdout and talk to stderr, and returns
// the exit code. Main thread.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kope {

/// Documented in README.md and --help.
enum exit_code : int {
  exit_done = 0,  ///< and faster than the reference, where something was judged
  exit_failed = 1,
  exit_usage = 2,
  exit_not_found = 3,
  exit_no_improvement = 6,  ///< nothing beat the reference, or the source was rejected
};

/// Flags that layer over environment and files, by option name (config/run_options.hpp), and --json.
struct shared_arguments {
  std::map<std::string, std::string> options;
  bool json = false;
};

/// Of `run FILE.c` and `task new FILE.c`: how a user's own file becomes a task.
struct own_kernel_arguments {
  std::string function, flags, name;
  std::vector<std::string> extents, multiples;
};

struct run_arguments {
  shared_arguments shared;
  std::string task = "matmul";
  std::vector<std::string> timed_cases;  ///< one name or number; of a file: N=1024,M=512, each a timed case
  own_kernel_arguments own;
  bool start_new = false;
  bool starting_points = true;
};
int run_command(const run_arguments& arguments);

struct eval_arguments {
  shared_arguments shared;
  std::string task;
  std::string source;  ///< path
  std::string timed_case;
  std::vector<std::string> flags;
  bool record = false;
};
int eval_command(const eval_arguments& arguments);

struct list_arguments {
  shared_arguments shared;
};
int list_command(const list_arguments& arguments);

struct show_arguments {
  shared_arguments shared;
  std::string exploration;
};
int show_command(const show_arguments& arguments);

int explain_command(const show_arguments& arguments);
int tree_command(const show_arguments& arguments);

struct best_arguments {
  shared_arguments shared;
  std::string which;  ///< exploration id or task name; empty: the newest exploration that has a best
  std::string export_directory;
};
int best_command(const best_arguments& arguments);

struct task_arguments {
  shared_arguments shared;
  std::string name;  ///< empty: list
  bool signature = false;
};
struct task_new_arguments {
  shared_arguments shared;
  std::string file;
  std::string output;  ///< folder; empty: named like the task, in the working directory
  std::vector<std::string> cases;
  own_kernel_arguments own;
};
int task_new_command(const task_new_arguments& arguments);
int task_list_command(const task_arguments& arguments);
int task_show_command(const task_arguments& arguments);
/// exit_no_improvement: the task cannot tell right from wrong.
int task_check_command(const task_arguments& arguments);

struct doctor_arguments {
  shared_arguments shared;
  bool adversarial = false;
  std::string only;      ///< adversarial sources whose name holds this text; empty: all
  bool measure = false;  ///< the device's limits, into the graph
};
int doctor_command(const doctor_arguments& arguments);
/// doctor --adversarial: exit_done only when every source of the suite was judged as expected.
int adversarial_command(const doctor_arguments& arguments);

}  // namespace kope
