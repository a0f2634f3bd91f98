// kope explain: the path from the reference to the winner, and what was tried on the way and lost. Read-only, beside a
// running writer.

#include <cstdio>
#include <iostream>

#include "daemon/commands/commands.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/explanation.hpp"
#include "messages/enum_names.hpp"

namespace kope {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string changes_text(const std::vector<change>& changes) {
  std::string text;
  for (auto& one : changes)
    text += (text.empty() ? "" : ", ") + one.meaning + " " +
            (one.had_before ? number(one.before) + " -> " : std::string()) + number(one.after);
  return text.empty() ? "the same parameters" : text;
}

json changes_json(const std::vector<change>& changes) {
  auto all = json::array();
  for (auto& one : changes)
    all.push_back({{"meaning", one.meaning},
                   {"before", one.had_before ? json(one.before) : json(nullptr)},
                   {"after", one.after}});
  return all;
}

std::string outcomes_text(const std::map<std::string, unsigned>& outcomes) {
  std::string text;
  for (auto& [name, count] : outcomes) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  return text;
}

std::string percent(double fraction) { return number(static_cast<int>(100 * fraction + 0.5)) + " %"; }

void print_lost(const std::map<std::string, unsigned>& outcomes, const std::vector<lost_try>& lost,
                const std::string& where) {
  if (!outcomes.empty()) std::cout << "     tried " << where << ": " << outcomes_text(outcomes) << '\n';
  for (auto& one : lost) {
    auto view = one.attempt.read();
    std::cout << "       " << comparison_text(view->getPromotion()) << "  " << changes_text(one.changes)
              << "  (attempt " << view->getHeader().getNumber() << ")\n";
  }
}

json lost_json(const std::vector<lost_try>& lost) {
  auto all = json::array();
  for (auto& one : lost) {
    auto view = one.attempt.read();
    all.push_back({{"attempt", view->getHeader().getAttempt().cStr()},
                   {"ratio", number_or_null(view->getPromotion().getRatio())},
                   {"interval", interval_of(view->getPromotion())},
                   {"changes", changes_json(one.changes)}});
  }
  return all;
}

void print(const explanation& found, wire::Exploration::Reader row) {
  auto spec = row.getSpec();
  std::cout << spec.getTask().cStr() << " (" << spec.getTimedCase().cStr() << "), exploration " << row.getId().cStr()
            << ", coder " << spec.getCoder().cStr() << '\n';
  std::cout << "  0  the reference\n";
  unsigned number_of_step = 0;
  for (auto& step : found.steps) {
    auto view = step.attempt.read();
    auto promotion = view->getPromotion();
    print_lost(step.outcomes, step.lost, "against it");
    std::cout << "  " << ++number_of_step << "  " << changes_text(step.changes) << '\n'
              << "     " << comparison_text(promotion) << ": " << microseconds_text(promotion.getBaselineMicroseconds())
              << " -> " << microseconds_text(promotion.getCandidateMicroseconds());
    if (step.fraction_after > 0)
      std::cout << ", " << percent(step.fraction_before) << " -> " << fraction_text(promotion);
    std::cout << "\n     attempt " << view->getHeader().getNumber() << ", chosen by " << view->getChosenBy().cStr();
    // the changes above say what set_parameters did
    bool told = view->getAction() == "set_parameters";
    if (view->getAction().size() > 0 && !told) std::cout << ", action " << view->getAction().cStr();
    if (view->getIntent().size() > 0 && !told) std::cout << ": " << view->getIntent().cStr();
    if (view->getInjected().size() > 0)
      std::cout << ", from the experience of " << view->getInjected().size() << " earlier attempts";
    std::string flags;
    for (auto flag : view->getFlags()) flags += std::string(" ") + flag.cStr();
    if (!flags.empty()) std::cout << "\n     flags" << flags;
    std::cout << '\n';
  }
  print_lost(found.outcomes, found.lost, "against it and not better");
  if (found.steps.empty())
    std::cout << "nothing beat the reference\n";
  else if (was_measured(row.getSpeedup()))
    std::cout << "measured anew in fresh processes, against the reference: " << comparison_text(row.getSpeedup())
              << '\n';
}

json document_of(const explanation& found, wire::Exploration::Reader row) {
  json document;
  document["exploration"] = row.getId().cStr();
  document["task"] = row.getSpec().getTask().cStr();
  document["case"] = row.getSpec().getTimedCase().cStr();
  document["speedup"] = was_measured(row.getSpeedup()) ? number_or_null(row.getSpeedup().getRatio()) : json(nullptr);
  document["interval"] = interval_of(row.getSpeedup());
  document["steps"] = json::array();
  for (auto& step : found.steps) {
    auto view = step.attempt.read();
    json one;
    one["attempt"] = view->getHeader().getAttempt().cStr();
    one["against"] = step.against;
    one["changes"] = changes_json(step.changes);
    one["flags"] = json::array();
    for (auto flag : view->getFlags()) one["flags"].push_back(flag.cStr());
    one["action"] = view->getAction().cStr();
    one["chosen_by"] = view->getChosenBy().cStr();
    one["gain"] = number_or_null(view->getPromotion().getRatio());
    one["interval"] = interval_of(view->getPromotion());
    one["fraction_of_limit_before"] = step.fraction_before > 0 ? number_or_null(step.fraction_before) : json(nullptr);
    one["fraction_of_limit_after"] = step.fraction_after > 0 ? number_or_null(step.fraction_after) : json(nullptr);
    one["tried"] = step.outcomes;
    one["lost"] = lost_json(step.lost);
    document["steps"].push_back(std::move(one));
  }
  document["tried_after"] = found.outcomes;
  document["lost_after"] = lost_json(found.lost);
  return document;
}

}  // namespace

int explain_command(const show_arguments& arguments) {
  auto options = options_of(arguments.shared);
  if (!options) return report_error(options.failure());
  auto stored = read_exploration(*options, arguments.exploration);
  if (!stored) return report_error(stored.failure());
  auto view = stored->row.read();
  auto found = explain(stored->attempts, view->getIncumbent().cStr());
  if (!found) return report_error(found.failure());
  if (arguments.shared.json)
    print_json(document_of(*found, *view));
  else
    print(*found, *view);
  return exit_done;
}

}  // namespace kope
