#include "daemon/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <optional>
#include <string_view>

#include "config/nearest_name.hpp"
#include "config/run_options.hpp"
#include "daemon/commands/commands.hpp"

namespace kope {
namespace {

constexpr const char* description =
    "kope makes hardware kernels faster: it explores variants, verifies each on execution, times it against the best\n"
    "so far in paired runs, and remembers what it learned.\n";

constexpr const char* footer = R"(
examples:
  kope run                         make the matrix product faster on this machine (two minutes)
  kope run sum --attempts 20       another task, a smaller budget
  kope run kernel.c --function f   a function of your own, with the flags that you build it with (--flags "-O2")
  kope task show matmul --signature
  kope eval matmul kernel.cpp      judge a source of your own
  kope best matmul --export out    the winner, its header and its build line

exit codes: 0 done, and faster than the reference; 1 failed; 2 usage; 3 not found;
            6 nothing beat the reference, or the source was rejected
A stopped or killed `run` is resumed by the same command.)";

constexpr std::string_view exploring_only[] = {"attempts", "seconds",       "seed",   "tickets",
                                               "policy",   "stop_fraction", "plateau"};

constexpr std::string_view timing_only[] = {"timing"};

/// What a command does decides which options it has: none that does nothing.
enum class use : uint8_t { looks, times, explores };

bool is_for(use of, std::string_view name) {
  auto in = [name](const auto& list) { return std::find(std::begin(list), std::end(list), name) != std::end(list); };
  if (in(exploring_only)) return of == use::explores;
  return !in(timing_only) || of != use::looks;
}

/// --data-dir, --log-level, … as text: config/ checks and layers them.
void add_shared(CLI::App* command, shared_arguments& shared, use of) {
  for (auto& row : option_rows()) {
    if (!is_for(of, row.name)) continue;
    command->add_option_function<std::string>(
        flag_name(row.name),
        [&shared, name = std::string(row.name)](const std::string& value) { shared.options[name] = value; },
        std::string(row.why) + (row.built_in.empty() ? "" : " [" + std::string(row.built_in) + "]"));
  }
  command->add_flag("--json", shared.json, "one JSON document on stdout");
}

void add_own_kernel(CLI::App* command, own_kernel_arguments& own) {
  auto group = "a file in C of your own";
  command->add_option("--function", own.function, "the function to make faster [the only one that can be meant]")
      ->group(group);
  command->add_option("--flags", own.flags, "your compiler flags in one text: what the result is compared with")
      ->group(group);
  command->add_option("--extent", own.extents, "elements of an array, e.g. --extent A=N*M; repeatable")->group(group);
  command->add_option("--multiple", own.multiples, "sizes that have to be multiples, e.g. --multiple N=8; repeatable")
      ->group(group);
  command->add_option("--name", own.name, "of the task [file and function]")->group(group);
}

/// CLI11 says of a mistyped command only that one is required.
std::optional<std::string> unknown_command(const CLI::App& app, std::string_view word) {
  if (word.starts_with('-')) return std::nullopt;
  std::vector<std::string> names;
  for (auto* command : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return std::nullopt;
  std::vector<std::string_view> known(names.begin(), names.end());
  return "there is no command '" + std::string(word) + "'; did you mean '" + std::string(nearest_name(word, known)) +
         "'? See kope --help";
}

}  // namespace

int run_command_line(int count, char** values) {
  CLI::App app(description, "kope");
  app.footer(footer);
  app.require_subcommand(1);
  app.set_version_flag("--version", KOPE_VERSION);
  std::function<int()> chosen;

  run_arguments run;
  auto* run_app = app.add_subcommand("run", "make a task faster, in the foreground; resumes what was interrupted");
  run_app->add_option("task", run.task, "name of a task (kope task list), a task folder, or a file in C")
      ->capture_default_str();
  run_app->add_option(
      "--case", run.timed_cases,
      "timed case to optimise, by name or number [the task's first]; of a file: N=1024,M=512; repeatable");
  add_own_kernel(run_app, run.own);
  run_app->add_flag("--new", run.start_new, "start another exploration instead of resuming an unfinished one");
  run_app->add_flag("!--no-starting-points", run.starting_points,
                    "leave out the family's known good points: memory and search alone (for experiments)");
  add_shared(run_app, run.shared, use::explores);
  run_app->callback([&] { chosen = [&run] { return run_command(run); }; });

  eval_arguments eval;
  auto* eval_app = app.add_subcommand("eval", "judge one source through the same pipeline");
  eval_app->add_option("task", eval.task, "name of a task, or a task folder")->required();
  eval_app->add_option("source", eval.source, "C++ file that defines the task's kernel")->required();
  eval_app->add_option("--case", eval.timed_case, "timed case, by name or number [the task's first]");
  eval_app->add_option("--flag", eval.flags, "compiler flag of the candidate, e.g. --flag=-funroll-loops; repeatable");
  eval_app->add_flag("--record", eval.record, "keep the attempt in the graph");
  add_shared(eval_app, eval.shared, use::times);
  eval_app->callback([&] { chosen = [&eval] { return eval_command(eval); }; });

  list_arguments list;
  auto* list_app = app.add_subcommand("list", "explorations, newest first");
  add_shared(list_app, list.shared, use::looks);
  list_app->callback([&] { chosen = [&list] { return list_command(list); }; });

  show_arguments show;
  auto* show_app = app.add_subcommand("show", "one exploration with its attempts");
  show_app->add_option("exploration", show.exploration, "id, as `kope list` prints it")->required();
  add_shared(show_app, show.shared, use::looks);
  show_app->callback([&] { chosen = [&show] { return show_command(show); }; });

  show_arguments explained;
  auto* explain_app = app.add_subcommand("explain", "how an exploration came to its winner, and what lost on the way");
  explain_app->add_option("exploration", explained.exploration, "id, as `kope list` prints it")->required();
  add_shared(explain_app, explained.shared, use::looks);
  explain_app->callback([&] { chosen = [&explained] { return explain_command(explained); }; });

  show_arguments drawn;
  auto* tree_app = app.add_subcommand("tree", "the search of an exploration as a tree: what led on, and what did not");
  tree_app->add_option("exploration", drawn.exploration, "id, as `kope list` prints it")->required();
  add_shared(tree_app, drawn.shared, use::looks);
  tree_app->callback([&] { chosen = [&drawn] { return tree_command(drawn); }; });

  best_arguments best;
  auto* best_app = app.add_subcommand("best", "the best verified source, on stdout or exported");
  best_app->add_option("which", best.which, "exploration id or task [the newest exploration with a best]");
  best_app->add_option("--export", best.export_directory,
                       "write the source with its header, build script, test and ISA guard here");
  add_shared(best_app, best.shared, use::looks);
  best_app->callback([&] { chosen = [&best] { return best_command(best); }; });

  task_arguments tasks;
  auto* task_app = app.add_subcommand("task", "what can be optimised");
  task_app->require_subcommand(1);
  auto* task_list_app = task_app->add_subcommand("list", "all tasks");
  task_list_app->add_flag("--json", tasks.shared.json, "one JSON document on stdout");
  task_list_app->callback([&] { chosen = [&tasks] { return task_list_command(tasks); }; });
  auto* task_show_app = task_app->add_subcommand("show", "prototype, cases and reference of a task");
  task_show_app->add_option("name", tasks.name, "name of a task, or a task folder")->required();
  task_show_app->add_flag("--signature", tasks.signature, "only the prototype, as one line");
  task_show_app->add_flag("--json", tasks.shared.json, "one JSON document on stdout");
  task_show_app->callback([&] { chosen = [&tasks] { return task_show_command(tasks); }; });

  task_new_arguments task_new;
  auto* task_new_app = task_app->add_subcommand("new", "a task folder from a file in C, to look at and to edit");
  task_new_app->add_option("file", task_new.file, "file in C")->required();
  task_new_app->add_option("--output", task_new.output, "the folder [named like the task]");
  task_new_app->add_option("--case", task_new.cases, "sizes of a timed case, N=1024,M=512; repeatable");
  add_own_kernel(task_new_app, task_new.own);
  add_shared(task_new_app, task_new.shared, use::looks);
  task_new_app->callback([&] { chosen = [&task_new] { return task_new_command(task_new); }; });

  auto* task_check_app = task_app->add_subcommand("check", "can this task tell a right kernel from a wrong one?");
  task_check_app->add_option("name", tasks.name, "name of a task, or a task folder")->required();
  add_shared(task_check_app, tasks.shared, use::looks);
  task_check_app->callback([&] { chosen = [&tasks] { return task_check_command(tasks); }; });

  doctor_arguments doctor;
  auto* doctor_app = app.add_subcommand("doctor", "what this machine offers and what is missing");
  auto* adversarial = doctor_app->add_flag("--adversarial", doctor.adversarial,
                                           "attack the verifier with the shipped suite of cheats, and see that honest "
                                           "sources pass");
  doctor_app->add_option("--only", doctor.only, "only sources whose name contains this, e.g. hostile/keeps")
      ->needs(adversarial);
  doctor_app->add_flag("--measure", doctor.measure,
                       "measure this machine's limits and keep them (up to half a minute)");
  add_shared(doctor_app, doctor.shared, use::looks);
  doctor_app->callback([&] {
    chosen = [&doctor] { return doctor.adversarial ? adversarial_command(doctor) : doctor_command(doctor); };
  });

  if (auto mistake = count > 1 ? unknown_command(app, values[1]) : std::nullopt) {
    std::cerr << "kope: " << *mistake << '\n';
    return exit_usage;
  }
  try {
    app.parse(count, values);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& mistake) {
    std::cerr << "kope: " << mistake.what() << "; see kope --help\n";
    return exit_usage;
  }
  return chosen();
}

}  // namespace kope
