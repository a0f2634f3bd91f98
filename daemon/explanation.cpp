#include "daemon/explanation.hpp"

#include <algorithm>

#include "messages/enum_names.hpp"

namespace kope {
namespace {

constexpr size_t lost_shown_max = 3;  // a person asks why, not for all of it: `kope show` has that

bool was_measured(wire::Attempt::Reader attempt) { return attempt.getPromotion().getPairs() > 0; }

using by_id = std::map<std::string, const attempt_record*>;

std::vector<change> changes_of(wire::Attempt::Reader attempt, const attempt_record* before) {
  std::map<std::string, double> known;
  if (before) {
    auto view = before->read();
    for (auto parameter : view->getParameters()) known[parameter.getMeaning().cStr()] = parameter.getValue();
  }
  std::vector<change> changes;
  for (auto parameter : attempt.getParameters()) {
    auto at = known.find(parameter.getMeaning().cStr());
    if (at != known.end() && at->second == parameter.getValue()) continue;
    changes.push_back(
        {parameter.getMeaning().cStr(), at == known.end() ? 0 : at->second, parameter.getValue(), at != known.end()});
  }
  return changes;
}

/// What each attempt stood against. One that was never measured: the best of the moment when it ended.
std::vector<std::string> opponents(const std::vector<attempt_record>& attempts) {
  std::vector<std::string> all;
  std::string best;
  for (auto& one : attempts) {
    auto view = one.read();
    all.push_back(was_measured(*view) ? view->getIncumbent().cStr() : best);
    if (view->getOutcome() == wire::OutcomeClass::IMPROVED) best = view->getHeader().getAttempt().cStr();
  }
  return all;
}

/// What was compared with `incumbent` ("" for the reference), but for `winner`.
void gather(const std::vector<attempt_record>& attempts, const std::vector<std::string>& against,
            const std::string& incumbent, const std::string& winner, const by_id& all,
            std::map<std::string, unsigned>& outcomes, std::vector<lost_try>& lost) {
  auto best = all.find(incumbent);
  for (size_t i = 0; i < attempts.size(); ++i) {
    auto& one = attempts[i];
    auto view = one.read();
    if (view->getHeader().getAttempt() == winner.c_str() || incumbent != against[i]) continue;
    ++outcomes[enum_name(view->getOutcome())];
    if (view->getOutcome() == wire::OutcomeClass::CORRECT_NOT_FASTER && was_measured(*view))
      lost.push_back({one, changes_of(*view, best == all.end() ? nullptr : best->second)});
  }
  std::stable_sort(lost.begin(), lost.end(), [](const lost_try& a, const lost_try& b) {
    return a.attempt.read()->getPromotion().getRatio() < b.attempt.read()->getPromotion().getRatio();
  });
  if (lost.size() > lost_shown_max) lost.erase(lost.begin() + lost_shown_max, lost.end());
}

}  // namespace

result<explanation> explain(const std::vector<attempt_record>& attempts, const std::string& winner) {
  by_id all;
  auto stood_against = opponents(attempts);
  for (auto& one : attempts) all[one.read()->getHeader().getAttempt().cStr()] = &one;
  explanation made;
  std::string next = winner;
  while (!next.empty()) {
    auto at = all.find(next);
    if (at == all.end()) return error{errc::internal, "attempt " + next + " is part of the path and not in the graph"};
    if (made.steps.size() > attempts.size())
      return error{errc::internal, "the promotions to attempt " + winner + " go in a circle"};
    auto view = at->second->read();
    std::string against = view->getPromotion().getAgainst().cStr();
    std::string before = against == "reference" ? "" : against;
    auto previous = all.find(before);
    explained_step step;
    step.attempt = *at->second;
    step.against = against.empty() ? "reference" : against;
    step.changes = changes_of(*view, previous == all.end() ? nullptr : previous->second);
    step.fraction_after = view->getPromotion().getFractionOfLimit();
    if (view->getPromotion().getRatio() > 0)
      step.fraction_before = step.fraction_after / view->getPromotion().getRatio();
    gather(attempts, stood_against, before, next, all, step.outcomes, step.lost);
    made.steps.push_back(std::move(step));
    next = before;
  }
  std::reverse(made.steps.begin(), made.steps.end());
  gather(attempts, stood_against, winner, winner, all, made.outcomes, made.lost);
  return made;
}

}  // namespace kope
