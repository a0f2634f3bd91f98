#include "daemon/search_tree.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "messages/enum_names.hpp"

namespace kope {
namespace {

constexpr size_t levels_indented = 12;  // three columns each: half of a narrow terminal

bool was_measured(wire::Attempt::Reader attempt) { return attempt.getPromotion().getPairs() > 0; }

bool leads_on(const search_node& node) {
  return !node.children.empty() || (node.attempt && node.attempt->read()->getOutcome() == wire::OutcomeClass::IMPROVED);
}

double ratio_of(const search_node& node) {
  auto view = node.attempt->read();
  return was_measured(*view) ? view->getPromotion().getRatio() : 0;
}

std::string changes_text(wire::Attempt::Reader attempt, const attempt_record* parent) {
  std::map<std::string, double> before;
  if (parent) {
    auto view = parent->read();
    for (auto parameter : view->getParameters()) before[parameter.getMeaning().cStr()] = parameter.getValue();
  }
  std::string text;
  char number[64];
  for (auto parameter : attempt.getParameters()) {
    auto known = before.find(parameter.getMeaning().cStr());
    if (known != before.end() && known->second == parameter.getValue()) continue;
    if (known == before.end())
      std::snprintf(number, sizeof number, " %g", parameter.getValue());
    else
      std::snprintf(number, sizeof number, " %g -> %g", known->second, parameter.getValue());
    text += (text.empty() ? "" : ", ") + std::string(parameter.getMeaning().cStr()) + number;
  }
  return text;
}

std::string line_of(const search_node& node, const attempt_record* parent) {
  if (!node.attempt) return "the reference";
  auto view = node.attempt->read();
  std::string line = "#" + std::to_string(view->getHeader().getNumber()) + "  ";
  if (was_measured(*view)) {
    char ratio[64];
    std::snprintf(ratio, sizeof ratio, "%.3gx  ", view->getPromotion().getRatio());
    line += ratio;
  }
  line += enum_name(view->getOutcome());
  auto changes = changes_text(*view, parent);
  return changes.empty() ? line : line + "  " + changes;
}

class drawing {
public:
  drawing(const std::vector<search_node>& tree, size_t leaves_max) : tree_(tree), leaves_max_(leaves_max) {}

  /// Without recursion: a chain may be as long as the exploration.
  std::vector<std::string> draw() {
    struct task {
      size_t node;
      const attempt_record* parent;
      std::string first, below;  // before this line, and before all that hang below it
      size_t level;
      std::string text;  // instead of a node's
    };
    std::vector<std::string> lines;
    std::vector<task> open{{0, nullptr, "", "", 0, ""}};
    while (!open.empty()) {
      auto now = std::move(open.back());
      open.pop_back();
      lines.push_back(now.first + (now.text.empty() ? line_of(tree_[now.node], now.parent) : now.text));
      if (!now.text.empty()) continue;
      auto [shown, rest] = chosen(tree_[now.node]);
      const bool indent = now.level < levels_indented;
      std::vector<task> below;
      for (size_t i = 0; i < shown.size(); ++i) {
        bool last = i + 1 == shown.size() && rest.empty();
        below.push_back({shown[i], tree_[now.node].attempt, now.below + (last ? "└─ " : "├─ "),
                         now.below + (!indent ? ""
                                      : last  ? "   "
                                              : "│  "),
                         now.level + 1, ""});
      }
      if (!rest.empty()) below.push_back({0, nullptr, now.below + "└─ ", "", 0, rest});
      for (auto it = below.rbegin(); it != below.rend(); ++it) open.push_back(std::move(*it));
    }
    return lines;
  }

private:
  /// Children that have a line, oldest first, and what is said of the others.
  std::pair<std::vector<size_t>, std::string> chosen(const search_node& of) const {
    std::vector<size_t> leaves;
    for (size_t child : of.children)
      if (!leads_on(tree_[child])) leaves.push_back(child);
    std::stable_sort(leaves.begin(), leaves.end(),
                     [&](size_t a, size_t b) { return ratio_of(tree_[a]) > ratio_of(tree_[b]); });
    // A line more instead of "1 more".
    size_t kept = leaves.size() == leaves_max_ + 1 ? leaves.size() : std::min(leaves.size(), leaves_max_);
    std::set<size_t> hidden(leaves.begin() + static_cast<std::ptrdiff_t>(kept), leaves.end());
    std::vector<size_t> shown;
    std::map<std::string, size_t> counts;
    for (size_t child : of.children) {
      if (!hidden.contains(child))
        shown.push_back(child);
      else
        ++counts[enum_name(tree_[child].attempt->read()->getOutcome())];
    }
    std::string rest;
    for (auto& [name, count] : counts) rest += (rest.empty() ? ": " : ", ") + std::to_string(count) + " " + name;
    if (!rest.empty()) rest = std::to_string(hidden.size()) + " more" + rest;
    return {std::move(shown), std::move(rest)};
  }

  const std::vector<search_node>& tree_;
  const size_t leaves_max_;
};

}  // namespace

std::vector<search_node> search_tree(const std::vector<attempt_record>& attempts) {
  std::vector<search_node> tree(1);
  std::map<std::string, size_t> place_of;
  for (const auto& one : attempts) {
    place_of[one.read()->getHeader().getAttempt().cStr()] = tree.size();
    tree.push_back({&one, {}});
  }
  for (size_t place = 1; place < tree.size(); ++place) {
    auto view = tree[place].attempt->read();
    auto parent = place_of.find(view->getParent().cStr());
    // Attempts are in the order of their ends; a parent ended before its child began, so there is no circle.
    bool known = parent != place_of.end() && parent->second < place;
    tree[known ? parent->second : 0].children.push_back(place);
  }
  return tree;
}

std::vector<std::string> search_tree_lines(const std::vector<search_node>& tree, size_t leaves_max) {
  return drawing(tree, leaves_max).draw();
}

}  // namespace kope
