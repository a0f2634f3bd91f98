// kope task list, kope task show, kope task check: what can be optimised, and whether a task of your own is fit for it.

#include <iostream>
#include <random>

#include "actors/evaluation/kernel_shim.hpp"
#include "actors/evaluation/task_check.hpp"
#include "config/share.hpp"
#include "config/task_files.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/tool_box.hpp"
#include "messages/enum_names.hpp"
#include "messages/json.hpp"

namespace kope {

int task_list_command(const task_arguments& arguments) {
  auto share = share_directory();
  if (!share) return report_error(share.failure());
  auto tasks = load_tasks(*share / "tasks");
  if (!tasks) return report_error(tasks.failure());
  auto all = json::array();
  for (auto& of : *tasks) {
    auto view = of.read();
    if (arguments.shared.json)
      all.push_back({{"name", view->getName().cStr()},
                     {"title", view->getTitle().cStr()},
                     {"family", view->getFamily().cStr()},
                     {"level", view->getLevel()},
                     {"element_type", enum_name(view->getElementType())},
                     {"cases", view->getCases().size()}});
    else
      std::cout << view->getName().cStr() << "  " << view->getTitle().cStr() << "  ("
                << enum_name(view->getElementType()) << ", " << view->getCases().size() << " cases)\n";
  }
  if (arguments.shared.json) print_json(all);
  return exit_done;
}

int task_show_command(const task_arguments& arguments) {
  auto of = task_named(arguments.name);
  if (!of) return report_error(of.failure());
  auto view = of->read();
  if (arguments.signature) {
    if (arguments.shared.json)
      print_json({{"task", view->getName().cStr()}, {"signature", signature(*view)}});
    else
      std::cout << signature(*view) << '\n';
    return exit_done;
  }
  if (arguments.shared.json) {
    auto document = to_json(*view);
    document["signature"] = signature(*view);
    auto shown = json::array();
    for (auto& each : document["cases"])
      if (each["kind"] != "hidden") shown.push_back(each);  // what no coder is ever shown is not printed either
    document["cases"] = shown;
    print_json(document);
    return exit_done;
  }
  std::cout << view->getName().cStr() << ": " << view->getTitle().cStr() << '\n' << signature(*view) << "\ncases:\n";
  unsigned hidden = 0;
  for (auto each : view->getCases()) {
    if (each.getKind() == wire::CaseKind::HIDDEN) {
      ++hidden;
      continue;
    }
    std::cout << "  " << each.getName().cStr() << " (" << enum_name(each.getKind()) << ")";
    for (unsigned i = 0; i < view->getSizes().size(); ++i)
      std::cout << ' ' << view->getSizes()[i].cStr() << '=' << each.getSizes()[i];
    std::cout << '\n';
  }
  std::cout << "  and " << hidden << " hidden ones, and one shape drawn at every verification\n\n"
            << view->getReference().cStr();
  return exit_done;
}

int task_check_command(const task_arguments& arguments) {
  auto options = options_of(arguments.shared);
  if (!options) return report_error(options.failure());
  auto of = task_named(arguments.name);
  if (!of) return report_error(of.failure());
  auto tools = open_tool_box(*options, {*of}, std::random_device{}());
  if (!tools) return report_error(tools.failure());
  auto bank = (*tools)->banks->bank(of->read()->getName().cStr());
  if (!bank) return report_error(bank.failure());
  auto found = check_task(*(*tools)->with_runner, **bank, (*tools)->cpus);
  if (!found) return report_error(found.failure());
  bool fit = found->why.empty();
  if (arguments.shared.json) {
    auto cases = json::array();
    for (auto& each : found->cases) cases.push_back({{"case", each.of}, {"finding", each.what}, {"fatal", each.fatal}});
    print_json({{"task", of->read()->getName().cStr()}, {"fit", fit}, {"reason", found->why}, {"cases", cases}});
  } else {
    for (auto& each : found->cases) std::cout << "case " << each.of << " tells nothing: " << each.what << '\n';
    std::cout << of->read()->getName().cStr() << (fit ? ": fit to be a task\n" : ": not fit to be a task: ")
              << found->why << (fit ? "" : "\n");
  }
  return fit ? exit_done : exit_no_improvement;
}

}  // namespace kope
