#include "bench/running_cost.hpp"

#include <algorithm>

#include "actors/evaluation/statistics.hpp"
#include "bench/exploring_anew.hpp"
#include "bench/text_table.hpp"

namespace kope::bench {
namespace {

constexpr int starts = 10;
constexpr double help_milliseconds_max = 100;
// The cost of an attempt, not what it finds: a short exploration of a kernel of a millisecond says it.
constexpr const char* explored_task = "matmul";
constexpr const char* explored_case = "medium";
constexpr uint32_t attempts_max = 16;

result<double> help_seconds(workplace& at) {
  std::error_code failed;
  auto program = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / "kope";
  std::vector<double> all;
  for (int start = 0; start < starts; ++start) {
    auto report =
        at.tools().processes->run({.arguments = {program.string(), "--help"}, .environment = {}, .directory = "/"});
    if (!report) return report.failure();
    if (report->end != process_end::exited || report->status != 0)
      return error{errc::internal, program.string() + " --help failed: " + report->output};
    all.push_back(report->wall_seconds);
  }
  return median(all);
}

result<double> bytes_on_disk(const graph_store& store) {
  auto snapshot = store.snapshot();
  if (!snapshot) return snapshot.failure();
  auto counts = (*snapshot)->counts();
  if (!counts) return counts.failure();
  return static_cast<double>(counts->bytes_on_disk);
}

bool was_timed(wire::OutcomeClass outcome) {
  return outcome == wire::OutcomeClass::IMPROVED || outcome == wire::OutcomeClass::CORRECT_NOT_FASTER ||
         outcome == wire::OutcomeClass::UNDECIDED;
}

std::string milliseconds_text(double seconds) { return short_number(seconds * 1e3) + " ms"; }

}  // namespace

stage_seconds median_seconds(const std::vector<attempt_record>& attempts) {
  std::vector<double> code, compile, verify, profile;
  for (const auto& each : attempts) {
    auto view = each.read();
    if (!was_timed(view->getOutcome())) continue;
    code.push_back(view->getCodeSeconds());
    compile.push_back(view->getCompileSeconds());
    verify.push_back(view->getVerifySeconds());
    profile.push_back(view->getProfileSeconds());
  }
  if (code.empty()) return {};
  return {median(code), median(compile), median(verify), median(profile)};
}

result<running_cost> measure_running_cost(workplace& at) {
  running_cost cost;
  cost.load_before = load_of_last_minute();
  auto help = help_seconds(at);
  if (!help) return help.failure();
  cost.help_seconds = *help;
  auto before = bytes_on_disk(*at.store());
  if (!before) return before.failure();
  auto found = explore_anew(at, explored_task, explored_case, std::min(at.request().attempts, attempts_max),
                            at.request().seconds);
  if (!found) return found.failure();
  auto after = bytes_on_disk(*at.store());
  if (!after) return after.failure();
  cost.attempts = static_cast<uint32_t>(found->attempts.size());
  for (const auto& each : found->attempts) cost.correct += was_timed(each.read()->getOutcome());
  cost.stages = median_seconds(found->attempts);
  if (cost.attempts > 0) {
    cost.seconds_each = found->row.read()->getSpentSeconds() / cost.attempts;
    cost.bytes_each = (*after - *before) / cost.attempts;
  }
  cost.load_after = load_of_last_minute();
  return cost;
}

std::vector<target> running_targets(const running_cost& cost) {
  return {{.name = "kope --help",
           .at_least = false,
           .wanted = help_milliseconds_max,
           .unit = "ms",
           .measured = cost.help_seconds * 1e3}};
}

std::string running_text(const running_cost& cost) {
  text_table table({"cost of", "", "what"});
  table.add({"kope --help", milliseconds_text(cost.help_seconds), "median of 10 starts"});
  std::string of = "median of " + std::to_string(cost.correct) + " correct attempts";
  table.add({"code", milliseconds_text(cost.stages.code), of});
  table.add({"compile", milliseconds_text(cost.stages.compile), of});
  table.add({"verify", milliseconds_text(cost.stages.verify), of});
  table.add({"profile", milliseconds_text(cost.stages.profile), of});
  table.add({"an attempt", milliseconds_text(cost.seconds_each),
             "exploration over its " + std::to_string(cost.attempts) + " attempts"});
  table.add({"disk", short_number(cost.bytes_each / 1024) + " KiB", "an attempt, with its source"});
  return table.text() + "load: " + short_number(cost.load_before) + " before, " + short_number(cost.load_after) +
         " after\n";
}

json running_json(const running_cost& cost) {
  json one;
  one["help_seconds"] = cost.help_seconds;
  one["attempts"] = cost.attempts;
  one["correct_attempts"] = cost.correct;
  one["median_seconds"] = {{"code", cost.stages.code},
                           {"compile", cost.stages.compile},
                           {"verify", cost.stages.verify},
                           {"profile", cost.stages.profile}};
  one["exploration_seconds_per_attempt"] = cost.seconds_each;
  one["disk_bytes_per_attempt"] = cost.bytes_each;
  one["load"] = json::array({cost.load_before, cost.load_after});
  return one;
}

}  // namespace kope::bench
