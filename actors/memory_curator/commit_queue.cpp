#include "actors/memory_curator/commit_queue.hpp"

#include <iterator>

namespace kope {
namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void append(commit_batch& to, const commit_batch& from) {
  append(to.tasks, from.tasks);
  append(to.targets, from.targets);
  append(to.toolchains, from.toolchains);
  append(to.limits, from.limits);
  append(to.sources, from.sources);
  append(to.explorations, from.explorations);
  append(to.opened, from.opened);
  append(to.outcomes, from.outcomes);
}

outcome emptied(const outcome& refused, const std::string& why) {
  auto view = refused.read();
  return outcome::build([&](wire::Outcome::Builder made) {
    auto attempt = made.initAttempt();
    auto before = view->getAttempt();
    attempt.setHeader(before.getHeader());
    attempt.setTask(before.getTask());
    attempt.setTarget(before.getTarget());
    attempt.setToolchain(before.getToolchain());
    attempt.setTimedCase(before.getTimedCase());
    attempt.setAction(before.getAction());
    attempt.setOutcome(wire::OutcomeClass::HARNESS_ERROR);
    attempt.setStage(before.getStage());
    attempt.setDiagnostics("its record was refused: " + why);
  });
}

std::string attempt_text(const outcome& ended) {
  return std::string("attempt ") + ended.read()->getAttempt().getHeader().getAttempt().cStr();
}

}  // namespace

commit_report commit_queue::commit(graph_store& store) {
  commit_report report;
  commit_batch all;
  for (auto& [row, token] : rows_) append(all, row);
  append(all.opened, opened_);
  append(all.outcomes, outcomes_);
  auto full = [&report](const error& failure) {
    report.disk_full = failure.code == errc::disk_full;
    if (report.disk_full) report.why = failure.what;
    return report.disk_full;
  };

  auto receipts = store.commit(all);
  ++report.transactions;
  if (receipts) {
    report.outcomes = std::move(*receipts);
    for (auto& [row, token] : rows_) report.rows_written.push_back(token);
    opened_.clear();
    outcomes_.clear();
    rows_.clear();
    return report;
  }
  if (full(receipts.failure())) return report;

  // One by one, in the same order. What a full disk interrupts stays queued.
  auto each = [&](auto& queue, auto&& as_batch, auto&& on_success, auto&& on_refusal) {
    size_t done = 0;
    for (; done < queue.size(); ++done) {
      auto one = store.commit(as_batch(queue[done]));
      ++report.transactions;
      if (one)
        on_success(queue[done], *one);
      else if (full(one.failure()))
        break;
      else
        on_refusal(queue[done], one.failure());
      if (report.disk_full) break;
    }
    queue.erase(queue.begin(), std::next(queue.begin(), static_cast<std::ptrdiff_t>(done)));
    return !report.disk_full;
  };
  bool room =
      each(
          rows_, [](auto& row) { return row.first; },
          [&](auto& row, auto&) { report.rows_written.push_back(row.second); },
          [&](auto& row, const error& failure) {
            report.rows_refused.emplace_back(row.second, failure);
            report.refused.push_back({"an exploration row", failure.what});
          }) &&
      each(
          opened_, [](auto& row) { return commit_batch{.opened = {row}}; }, [](auto&, auto&) {},
          [&](auto& row, const error& failure) {
            report.refused.push_back(
                {std::string("open row of attempt ") + row.read()->getHeader().getAttempt().cStr(), failure.what});
          });
  if (!room) return report;
  each(
      outcomes_, [](auto& ended) { return commit_batch{.outcomes = {ended}}; },
      [&](auto&, auto& one) { append(report.outcomes, one); },
      [&](auto& ended, const error& failure) {
        report.refused.push_back({attempt_text(ended), failure.what});
        auto replaced = store.commit(commit_batch{.outcomes = {emptied(ended, failure.what)}});
        ++report.transactions;
        if (replaced) append(report.outcomes, *replaced);
      });
  return report;
}

}  // namespace kope
