#include "daemon/exploring.hpp"

#include <chrono>

#include "actors/evaluation/concrete_cases.hpp"
#include "actors/evaluation/paired_timing.hpp"
#include "daemon/signals.hpp"

namespace kope {
namespace {

// Explorations that are looked at for one to resume: those of the last weeks, not of all time.
constexpr size_t unfinished_searched_max = 1000;
// A stopped planner writes one row; one that cannot (a full disk, a bug) must not keep the program alive. What was
// acknowledged is on disk all the same.
constexpr std::chrono::milliseconds last_row_within{8'500};

bool same_wish(wire::ExplorationSpec::Reader a, wire::ExplorationSpec::Reader wanted) {
  return a.getTaskKey() == wanted.getTaskKey() && a.getTargetKey() == wanted.getTargetKey() &&
         a.getToolchainKey() == wanted.getToolchainKey() && a.getCheck() == wanted.getCheck() &&
         a.getTimedCase() == wanted.getTimedCase() && a.getAttempts() == wanted.getAttempts() &&
         a.getSeconds() == wanted.getSeconds() && a.getTickets() == wanted.getTickets() &&
         a.getPolicy() == wanted.getPolicy() && a.getCoder() == wanted.getCoder() &&
         a.getStartingPoints() == wanted.getStartingPoints() && a.getStopFraction() == wanted.getStopFraction() &&
         a.getPlateau() == wanted.getPlateau() && (wanted.getSeed() == 0 || a.getSeed() == wanted.getSeed());
}

}  // namespace

result<std::string> timed_case_of(const task& of, const std::string& name) {
  auto view = of.read();
  std::string known;
  unsigned number = 0;
  for (auto each : view->getCases()) {
    if (each.getKind() != wire::CaseKind::TIMED) continue;
    ++number;
    if (name.empty() || name == each.getName().cStr() || name == std::to_string(number))
      return std::string(each.getName().cStr());
    known += (known.empty() ? "" : ", ") + std::to_string(number) + " " + each.getName().cStr();
  }
  return error{errc::not_found, "task " + std::string(view->getName().cStr()) + " has no timed case \"" + name +
                                    "\"; its timed cases: " + known};
}

result<unit> check_timing(const tool_box& tools, const task& of, const std::string& timed_case) {
  auto target = tools.target.read();
  if (target->getMode() != wire::TimingMode::RESIDENT) return unit{};
  auto view = of.read();
  for (unsigned i = 0; i < view->getCases().size(); ++i) {
    if (timed_case != view->getCases()[i].getName().cStr()) continue;
    auto resolved = resolve_case(*view, i);
    if (!resolved) return resolved.failure();
    if (auto why = objection_to_resident(*resolved, target->getL2Bytes()); !why.empty())
      return error{errc::invalid_input, why};
  }
  return unit{};
}

exploration_row new_row(const tool_box& tools, const task& of, const exploration_wish& wish) {
  auto described = of.read();
  auto target = tools.target.read();
  auto toolchain = tools.toolchain.read();
  std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return exploration_row::build([&](wire::Exploration::Builder row) {
    auto spec = row.initSpec();
    spec.setTask(described->getName());
    spec.setTimedCase(wish.timed_case);
    spec.setAttempts(wish.attempts);
    spec.setSeconds(wish.seconds);
    spec.setSeed(wish.seed);
    spec.setTickets(wish.tickets);
    spec.setPolicy(wish.policy);
    spec.setToolchain(toolchain->getName());
    spec.setCoder(wish.coder);
    spec.setTaskKey(described->getKey());
    spec.setTargetKey(target->getKey());
    spec.setToolchainKey(toolchain->getKey());
    spec.setCheck(described->getCheck());
    spec.setStartingPoints(wish.starting_points);
    spec.setStopFraction(wish.stop_fraction);
    spec.setPlateau(wish.plateau);
    for (auto each : described->getCases())
      if (wish.timed_case == each.getName().cStr()) spec.setSizes(each.getSizes());
    row.setState(wire::ExplorationState::RUNNING);
    row.setStartedUnixSeconds(now.count());
    row.setNextNumber(1);
  });
}

result<std::optional<exploration_row>> unfinished(const graph_store& store, const exploration_row& wanted) {
  auto snapshot = store.snapshot();
  if (!snapshot) return snapshot.failure();
  auto rows = (*snapshot)->explorations(unfinished_searched_max);
  if (!rows) return rows.failure();
  auto wish = wanted.read();
  for (auto& row : *rows) {
    auto view = row.read();
    if (view->getState() == wire::ExplorationState::RUNNING && same_wish(view->getSpec(), wish->getSpec()))
      return std::optional<exploration_row>(row);
  }
  return std::optional<exploration_row>();
}

followed follow(runtime& running, const std::function<void(const committed&)>& on_attempt,
                const std::function<void(double seconds)>& on_tick) {
  followed end;
  auto begun = std::chrono::steady_clock::now();
  auto stopped = begun;
  while (true) {
    auto event = running.wait(std::chrono::milliseconds(200));
    if (event) {
      if (auto* attempt = std::get_if<committed>(&event->what)) {
        on_attempt(*attempt);
      } else if (auto* row = std::get_if<exploration_row>(&event->what)) {
        end.last = *row;
        // without an id it was never stored
        if (row->read()->getId().size() == 0 && row->read()->getState() == wire::ExplorationState::FAILED)
          end.fatal = row->read()->getStopReason().cStr();
        return end;
      } else {
        end.fatal = std::get<std::string>(event->what);
        return end;
      }
    }
    if (int signal = signal_received()) {
      if (end.signal) return end;  // the second one: now
      end.signal = signal;
      stopped = std::chrono::steady_clock::now();
      running.stop();  // the planner writes its row, which comes as the last event
    }
    if (end.signal && std::chrono::steady_clock::now() - stopped > last_row_within) return end;
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;
    on_tick(seconds.count());
  }
}

}  // namespace kope
