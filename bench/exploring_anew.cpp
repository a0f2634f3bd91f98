#include "bench/exploring_anew.hpp"

#include <algorithm>
#include <random>

#include "daemon/commands/report.hpp"
#include "daemon/exploring.hpp"
#include "daemon/progress.hpp"

namespace kope::bench {
namespace {

result<unit> read_winner(const graph_snapshot& graph, explored& into) {
  auto row = into.row.read();
  auto id = attempt_id::parse(std::string_view(row->getIncumbent().cStr())).value_or(attempt_id{});
  if (!id) return unit{};
  auto attempt = graph.attempt(id);
  if (!attempt) return attempt.failure();
  if (!*attempt) return error{errc::internal, "the incumbent " + id.text() + " is not in the graph"};
  auto view = (*attempt)->read();
  auto source = graph.source(std::string_view(view->getSourceHash().cStr()));
  if (!source) return source.failure();
  if (!*source) return error{errc::internal, "the source of attempt " + id.text() + " is not in the graph"};
  into.source = **source;
  for (auto flag : view->getFlags()) into.flags.emplace_back(flag.cStr());
  into.parameters = parameters_text(view->getParameters());
  return unit{};
}

}  // namespace

result<explored> explore_anew(workplace& at, std::string_view task_name, const std::string& timed_case,
                              uint32_t attempts, double seconds) {
  const task& of = at.task_of(task_name);
  exploration_wish wish{.timed_case = timed_case,
                        .attempts = attempts,
                        .seconds = seconds,
                        .seed = at.request().seed,
                        .tickets = at.options().tickets.value,
                        .policy = at.options().policy.value,
                        .coder = "schedule"};
  while (wish.seed == 0) wish.seed = std::random_device{}();
  progress shown(wish.attempts, wish.seconds, false);
  shown.note("exploring " + std::string(task_name) + " (" + timed_case + "), at most " + std::to_string(wish.attempts) +
             " attempts and " + seconds_text(wish.seconds) + ", seed " + std::to_string(wish.seed));
  followed end;
  {
    runtime running(at.tools(), at.store(), {});
    running.explore(new_row(at.tools(), of, wish));
    end = follow(
        running, [&](const committed& attempt) { shown.attempt(attempt.read()->getAttempt()); },
        [&](double passed) { shown.tick(passed); });
  }
  if (!end.fatal.empty()) return error{errc::internal, end.fatal};
  if (end.signal) return error{errc::cancelled, "stopped by a signal"};

  explored found;
  found.row = end.last;
  auto row = found.row.read();
  if (row->getState() == wire::ExplorationState::FAILED)
    return error{errc::internal, std::string("the exploration failed: ") + row->getStopReason().cStr()};
  auto snapshot = at.store()->snapshot();
  if (!snapshot) return snapshot.failure();
  auto id = exploration_id::parse(std::string_view(row->getId().cStr())).value_or(exploration_id{});
  auto newest = (*snapshot)->newest_attempts(id, size_t{attempts} * 4);  // interrupted ones are tried again
  if (!newest) return newest.failure();
  found.attempts = std::move(*newest);
  std::reverse(found.attempts.begin(), found.attempts.end());
  auto read = read_winner(**snapshot, found);
  if (!read) return read.failure();
  return found;
}

}  // namespace kope::bench
