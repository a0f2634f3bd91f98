// kope doctor --adversarial: the shipped suite of cheats against the pipeline of this machine, one source after
// another, because a hostile one must not disturb the measurement of its neighbour.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <random>

#include "config/adversarial_suite.hpp"
#include "config/share.hpp"
#include "config/task_files.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/device_limits.hpp"
#include "daemon/exploring.hpp"
#include "daemon/judging.hpp"
#include "messages/enum_names.hpp"
#include "storage/memory_graph_store.hpp"

namespace kope {
namespace {

// A busy machine cannot always tell, and says so; a hostile source that is `improved` gets no second chance.
constexpr int judgements_max = 2;

enum class finding_kind { as_expected, got_through, refused_honest, unexpected, not_run };

const char* text_of(finding_kind kind) {
  switch (kind) {
    case finding_kind::as_expected:
      return "as_expected";
    case finding_kind::got_through:
      return "got_through";
    case finding_kind::refused_honest:
      return "refused_honest";
    case finding_kind::unexpected:
      return "unexpected";
    case finding_kind::not_run:
      break;
  }
  return "not_run";
}

struct tried {
  const suite_source* source = nullptr;
  finding_kind kind = finding_kind::not_run;
  std::string outcome, stage, reason;
  double seconds = 0;
};

const defence_name* defence_of(const suite_source& source) {
  if (source.caught_by.empty()) return nullptr;
  for (auto& each : defence_names())
    if (each.name == source.caught_by.front()) return &each;
  return nullptr;
}

std::string first_line(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  return line.size() > 100 ? line.substr(0, 97) + "..." : line;
}

std::string listed_outcomes(const suite_source& source) {
  std::string all;
  for (auto outcome : source.outcomes) all += (all.empty() ? "" : " or ") + enum_name(outcome);
  return all;
}

/// Does this machine's runner hold a candidate strongly enough for a source that could harm it? Levels are named in
/// docs/ARCHITECTURE.md.
bool may_run(const suite_source& source, std::string_view level) {
  if (source.needs.empty() || level == "full") return true;
  return source.needs == "namespace" ? level == "pid_namespace" : level == "lite";
}

finding_kind kind_of(const suite_source& source, wire::OutcomeClass outcome) {
  bool permitted = std::find(source.outcomes.begin(), source.outcomes.end(), outcome) != source.outcomes.end();
  // The screen and the sandbox stand before the defence that a header names; what is suspect is believed by nobody.
  bool refused = outcome == wire::OutcomeClass::SANDBOX_VIOLATION || outcome == wire::OutcomeClass::SUSPECT;
  if (permitted || (source.hostile && refused)) return finding_kind::as_expected;
  if (source.hostile && outcome == wire::OutcomeClass::IMPROVED) return finding_kind::got_through;
  return source.hostile ? finding_kind::unexpected : finding_kind::refused_honest;
}

class attack {
public:
  attack(tool_box& tools, const std::vector<task>& tasks) : tools_(tools), tasks_(tasks) {}

  /// Nothing when a signal ended it.
  result<std::optional<tried>> on(const suite_source& source) {
    tried found{.source = &source};
    if (!may_run(source, tools_.with_runner->level())) {
      found.reason = "needs " + source.needs + "; this machine's isolation is " + tools_.with_runner->level();
      return std::optional<tried>(found);
    }
    auto begun = std::chrono::steady_clock::now();
    for (int judgements = 1;; ++judgements) {
      auto signal = judge(source, found);
      if (!signal) return signal.failure();
      signal_ = *signal;
      if (signal_) return std::optional<tried>();
      if (found.kind == finding_kind::as_expected || found.kind == finding_kind::got_through ||
          judgements == judgements_max)
        break;
    }
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return std::optional<tried>(found);
  }

  int signal() const { return signal_; }

private:
  result<int> judge(const suite_source& source, tried& found) {
    auto of = std::find_if(tasks_.begin(), tasks_.end(), [&](const task& each) {
      auto view = each.read();
      return source.task == view->getName().cStr();
    });
    if (of == tasks_.end())
      return error{errc::invalid_input, source.name + " is written against a task that is not there: " + source.task};
    auto timed = timed_case_of(*of, source.timed_case);
    if (!timed) return timed.failure();
    auto judged = judge_source(tools_, *of, {source.text, source.flags, *timed}, make_memory_graph_store());
    if (!judged) return judged.failure();
    if (judged->signal) return judged->signal;
    auto attempt = judged->attempt.read();
    found.outcome = enum_name(attempt->getOutcome());
    found.stage = enum_name(attempt->getStage());
    found.reason = attempt->getDiagnostics().cStr();
    if (was_measured(attempt->getPromotion()))
      found.reason += (found.reason.empty() ? "" : "; ") + comparison_text(attempt->getPromotion());
    found.kind = kind_of(source, attempt->getOutcome());
    return 0;
  }

  tool_box& tools_;
  const std::vector<task>& tasks_;
  int signal_ = 0;
};

json document_of(const tried& found) {
  const auto& source = *found.source;
  auto permitted = json::array();
  for (auto outcome : source.outcomes) permitted.push_back(enum_name(outcome));
  return {{"source", source.name},
          {"tries", source.tries},
          {"hostile", source.hostile},
          {"task", source.task},
          {"finding", text_of(found.kind)},
          {"outcome", found.outcome},
          {"stage", found.stage},
          {"reason", found.reason},
          {"expected", permitted},
          {"defences", source.caught_by},
          {"seconds", number_or_null(found.seconds)}};
}

void print(const tried& found) {
  const auto& source = *found.source;
  if (found.kind == finding_kind::as_expected) {
    std::cout << "ok  " << source.name << ": " << source.tries << "\n      " << found.outcome << " (" << found.stage
              << ")";
    if (auto* defence = defence_of(source)) std::cout << ", caught by " << defence->name << ": " << defence->meaning;
    std::cout << '\n';
    return;
  }
  const char* how = found.kind == finding_kind::got_through      ? "GOT THROUGH"
                    : found.kind == finding_kind::refused_honest ? "REFUSED, though honest"
                    : found.kind == finding_kind::not_run        ? "NOT RUN"
                                                                 : "UNEXPECTED";
  std::cout << how << "  " << source.name << ": " << source.tries << '\n';
  if (found.kind != finding_kind::not_run)
    std::cout << "      " << found.outcome << " (" << found.stage << "), expected " << listed_outcomes(source) << '\n';
  if (!found.reason.empty()) std::cout << "      " << first_line(found.reason) << '\n';
}

}  // namespace

int adversarial_command(const doctor_arguments& arguments) {
  auto options = options_of(arguments.shared);
  if (!options) return report_error(options.failure());
  auto share = share_directory();
  if (!share) return report_error(share.failure());
  auto suite = load_adversarial_suite(*share / "config" / "adversarial");
  if (!suite) return report_error(suite.failure());
  auto tasks = load_tasks(*share / "tasks");
  if (!tasks) return report_error(tasks.failure());
  tasks->insert(tasks->begin(), suite->tasks.begin(), suite->tasks.end());
  std::vector<const suite_source*> chosen;
  for (auto& source : suite->sources)
    if (source.name.find(arguments.only) != std::string::npos) chosen.push_back(&source);
  if (chosen.empty())
    return report_error({errc::not_found, "no source of the suite has \"" + arguments.only + "\" in its name"});

  auto tools = open_tool_box(*options, *tasks, std::random_device{}());
  if (!tools) return report_error(tools.failure());
  // As in `eval`: where limits are on record, a time that the device does not allow is suspect.
  know_limits(**tools, *make_memory_graph_store(), *options);
  attack attacking(**tools, *tasks);
  size_t counts[5] = {};
  auto all = json::array();
  for (size_t i = 0; i < chosen.size(); ++i) {
    std::cerr << '[' << i + 1 << '/' << chosen.size() << "] " << chosen[i]->name << std::endl;
    auto found = attacking.on(*chosen[i]);
    if (!found) return report_error(found.failure());
    if (!*found) return 128 + attacking.signal();
    ++counts[static_cast<size_t>((*found)->kind)];
    if (arguments.shared.json)
      all.push_back(document_of(**found));
    else
      print(**found);
  }
  auto count = [&](finding_kind kind) { return counts[static_cast<size_t>(kind)]; };
  bool good = count(finding_kind::as_expected) == chosen.size();
  if (arguments.shared.json) {
    json totals;
    for (auto kind : {finding_kind::as_expected, finding_kind::got_through, finding_kind::refused_honest,
                      finding_kind::unexpected, finding_kind::not_run})
      totals[text_of(kind)] = count(kind);
    print_json(
        {{"level", (*tools)->with_runner->level()}, {"tried", chosen.size()}, {"totals", totals}, {"sources", all}});
  } else {
    std::cout << chosen.size() << " tried, " << count(finding_kind::as_expected) << " judged as expected, "
              << count(finding_kind::got_through) << " got through, " << count(finding_kind::refused_honest)
              << " honest ones refused, " << count(finding_kind::unexpected) << " caught otherwise than expected, "
              << count(finding_kind::not_run) << " not run\n";
  }
  return good ? exit_done : exit_failed;
}

}  // namespace kope
