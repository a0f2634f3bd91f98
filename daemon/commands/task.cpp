// kope task list, kope task show: what can be optimised.

#include <iostream>

#include "actors/evaluation/kernel_shim.hpp"
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

}  // namespace kope
