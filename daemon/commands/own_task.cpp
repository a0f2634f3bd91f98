// kope task new, and what other commands need of a task that does not ship.
#include "daemon/commands/own_task.hpp"

#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "config/task_files.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/tool_box.hpp"

namespace kope {
namespace {

namespace fs = std::filesystem;

// Answers to one question; who has none stops with Ctrl-C or is told the flag.
std::optional<std::string> asked_on_terminal(const std::string& question) {
  std::cerr << question << std::flush;
  std::string answer;
  if (!std::getline(std::cin, answer) || answer.size() > 200) return std::nullopt;
  return answer;
}

}  // namespace

result<own_kernel> own_kernel_of(const run_options& options, const std::string& file,
                                 const std::vector<std::string>& cases, const own_kernel_arguments& own,
                                 const std::string& folder) {
  own_kernel_wishes wishes{.file = file,
                           .function = own.function,
                           .name = own.name,
                           .cases = cases,
                           .extents = own.extents,
                           .multiples = own.multiples,
                           .flags = own.flags,
                           .folder = folder};
  if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) wishes.ask = asked_on_terminal;
  auto made = make_own_kernel(options, wishes);
  if (!made) return made;
  for (auto& remark : made->remarks) std::cerr << remark << '\n';
  std::cerr << "the task is in " << made->folder.string()
            << "; if something is wrong there, edit it and run the folder\n";
  return made;
}

int task_new_command(const task_new_arguments& arguments) {
  auto options = options_of(arguments.shared);
  if (!options) return report_error(options.failure());
  auto folder = arguments.output;
  if (folder.empty()) folder = fs::path(arguments.file).stem().string() + ".task";
  std::error_code failed;
  if (fs::exists(folder, failed))
    return report_error({errc::invalid_input, folder + " is there already; choose another with --output"});
  auto made = own_kernel_of(*options, arguments.file, arguments.cases, arguments.own, folder);
  if (!made) {
    fs::remove_all(folder, failed);  // of a round that did not hold
    return report_error(made.failure());
  }
  if (arguments.shared.json)
    print_json({{"task", made->of.read()->getName().cStr()}, {"folder", folder}, {"remarks", made->remarks}});
  else
    std::cout << folder << '\n';
  return exit_done;
}

result<unit> keep_task(const run_options& options, const std::string& name, const task& of) {
  if (name.find('/') == name.npos) return unit{};
  fs::path from(name);
  if (from.filename() == "task.toml") from = from.parent_path();
  auto view = of.read();
  auto to = options.data_dir.value / "tasks" /
            (std::string(view->getName().cStr()) + "-" + std::string(view->getKey().cStr()).substr(0, 8));
  std::error_code failed;
  fs::create_directories(to, failed);
  for (auto file : {"task.toml", "reference.cpp", "reference.c"})
    if (!failed && fs::exists(from / file))
      fs::copy_file(from / file, to / file, fs::copy_options::overwrite_existing, failed);
  if (failed) return error{errc::io, "the task cannot be kept in " + to.string() + ": " + failed.message()};
  return unit{};
}

result<task> task_of(const run_options& options, wire::ExplorationSpec::Reader spec) {
  auto shipped = task_named(std::string_view(spec.getTask().cStr()));
  if (shipped && shipped->read()->getKey() == spec.getTaskKey()) return shipped;
  std::error_code failed;
  for (fs::directory_iterator at(options.data_dir.value / "tasks", failed), end; !failed && at != end;
       at.increment(failed)) {
    auto kept = load_task(at->path());
    if (kept && kept->read()->getKey() == spec.getTaskKey()) return kept;
  }
  if (shipped) return shipped;  // its reference was edited since; its prototype may still do
  return error{errc::not_found, std::string("the task ") + spec.getTask().cStr() + " is neither shipped nor kept in " +
                                    (options.data_dir.value / "tasks").string()};
}

}  // namespace kope
