// kope doctor: what this machine offers and what is missing, by trying it.

#include <iostream>

#include "config/share.hpp"
#include "config/task_files.hpp"
#include "config/toolchain_files.hpp"
#include "daemon/catalogue.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/device_limits.hpp"
#include "daemon/tool_box.hpp"
#include "messages/json.hpp"
#include "storage/lmdb_graph_store.hpp"
#include "toolchains/hardware_counters.hpp"

namespace kope {
namespace {

struct finding {
  std::string what;
  bool good = true;
  std::string text;  ///< what was found, or the way out
  json details = nullptr;
};

std::string target_text(wire::TargetRecord::Reader target) {
  std::string text = std::string(target.getVendor().cStr()) + " " + target.getModel().cStr() + ", L1 " +
                     cache_text(target.getL1dBytes()) + ", L2 " + cache_text(target.getL2Bytes()) + ", L3 " +
                     cache_text(target.getL3Bytes());
  for (auto extension : target.getIsa()) text += std::string(" ") + extension.cStr();
  return text;
}

/// The last limits on record; measured now when that is wanted.
void try_limits(tool_box& box, const run_options& options, bool wanted, std::vector<finding>& findings) {
  if (!wanted) {
    std::vector<limits_record> last;
    if (auto reader = open_reader(options)) {
      auto snapshot = (*reader)->snapshot();
      auto found = snapshot ? (*snapshot)->limits(box.device.read()->getKey().cStr(), 1)
                            : result<std::vector<limits_record>>(snapshot.failure());
      if (!found) {
        findings.push_back({"limits", false, found.failure().what});
        return;
      }
      last = *found;
    }
    if (last.empty())
      findings.push_back({"limits", true, "not on record; `kope doctor --measure` measures them"});
    else
      findings.push_back({"limits", true, limits_text(*last.front().read()), to_json(*last.front().read())});
    return;
  }
  auto measured = measure_limits(box);
  if (!measured) {
    findings.push_back({"limits", false, measured.failure().what});
    return;
  }
  auto store = open_lmdb_graph_store(graph_directory(options).string(), store_access::write);
  auto kept = store ? (*store)->commit({.targets = {box.device}, .toolchains = {box.toolchain}, .limits = {*measured}})
                    : result<std::vector<outcome_receipt>>(store.failure());
  findings.push_back({"limits", kept.ok(),
                      limits_text(*measured->read()) + (kept ? "" : "\n  not stored: " + kept.failure().what),
                      to_json(*measured->read())});
}

/// Descriptions beside the chosen one: what is not here stays out, with the way to have it.
void try_other_toolchains(tool_box& box, std::vector<finding>& findings) {
  const auto folder = box.share / "config" / "toolchains";
  auto names = toolchain_names(folder);
  if (!names) {
    findings.push_back({"toolchains", false, names.failure().what});
    return;
  }
  for (auto& name : *names) {
    if (name == box.toolchain.read()->getName().cStr()) continue;
    auto description = load_toolchain(folder, name);
    auto tool = description ? make_compiler(*box.processes, *description, (box.data / "scratch" / "doctor").string())
                            : result<std::unique_ptr<compiler>>(description.failure());
    if (tool)
      findings.push_back({"toolchain " + name, true, (*tool)->version() + "; --toolchain " + name + " uses it"});
    else
      findings.push_back(
          {"toolchain " + name, tool.failure().code == errc::tool_missing, "not used: " + tool.failure().what});
  }
}

void try_tools(const run_options& options, const std::vector<task>& tasks, bool measure,
               std::vector<finding>& findings) {
  auto tools = open_tool_box(options, tasks, 1);
  if (!tools) {
    findings.push_back({"tools", false, tools.failure().what});
    return;
  }
  auto& box = **tools;
  findings.push_back({"device", true, target_text(*box.target.read())});
  findings.push_back({"cpus", true, std::to_string(box.cpus.size()) + " usable"});
  findings.push_back({"compiler", true, box.toolchain.read()->getCompiler().cStr()});
  try_other_toolchains(box, findings);
  findings.push_back({"sandbox", true, describe(box.processes->sandbox())});
  // Without them nothing is worse but the explanation.
  findings.push_back({"counters", true, probe_counters().text});
  try_limits(box, options, measure, findings);
  for (auto& of : tasks) {
    auto name = std::string(of.read()->getName().cStr());
    auto bank = box.banks->bank(name);
    if (!bank) {
      findings.push_back({"task " + name, false, bank.failure().what});
      continue;
    }
    auto first = (*bank)->listed_cases().front();
    auto seconds = (*bank)->baseline_seconds(first);
    findings.push_back({"task " + name, seconds.ok(), seconds ? "compiles and runs" : seconds.failure().what});
  }
}

void try_store(const run_options& options, std::vector<finding>& findings) {
  auto opened = open_lmdb_graph_store(graph_directory(options).string(), store_access::write);
  if (opened)
    findings.push_back({"store", true, graph_directory(options).string() + " can be written"});
  else if (opened.failure().code == errc::busy)
    findings.push_back({"store", true, opened.failure().what});
  else
    findings.push_back({"store", false, opened.failure().what});
}

}  // namespace

int doctor_command(const doctor_arguments& arguments) {
  auto options = options_of(arguments.shared);
  if (!options) return report_error(options.failure());
  std::vector<finding> findings;
  auto share = share_directory();
  if (!share) {
    findings.push_back({"shipped files", false, share.failure().what});
  } else {
    findings.push_back({"shipped files", true, share->string()});
    auto tasks = load_tasks(*share / "tasks");
    if (tasks)
      try_tools(*options, *tasks, arguments.measure, findings);
    else
      findings.push_back({"tasks", false, tasks.failure().what});
  }
  try_store(*options, findings);

  bool good = true;
  auto document = json::array();
  for (auto& each : findings) {
    good = good && each.good;
    document.push_back({{"what", each.what}, {"good", each.good}, {"text", each.text}});
    if (!each.details.is_null()) document.back()["details"] = each.details;
    if (!arguments.shared.json)
      std::cout << (each.good ? "ok      " : "MISSING ") << each.what << ": " << each.text << '\n';
  }
  if (arguments.shared.json) print_json(document);
  return good ? exit_done : exit_failed;
}

}  // namespace kope
