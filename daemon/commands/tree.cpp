// kope tree: the search of one exploration as a tree. Read-only, beside a running writer.

#include <iostream>

#include "daemon/commands/commands.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/search_tree.hpp"
#include "messages/enum_names.hpp"

namespace kope {
namespace {

constexpr size_t leaves_drawn_max = 3;  // below each node: who wants them all asks `kope show`

json document_of(const std::vector<search_node>& tree, wire::Exploration::Reader row) {
  json document;
  document["exploration"] = row.getId().cStr();
  document["task"] = row.getSpec().getTask().cStr();
  document["policy"] = row.getSpec().getPolicy().cStr();
  document["nodes"] = json::array();
  std::vector<size_t> parents(tree.size(), 0);
  for (size_t place = 0; place < tree.size(); ++place)
    for (size_t child : tree[place].children) parents[child] = place;
  for (size_t place = 1; place < tree.size(); ++place) {
    auto view = tree[place].attempt->read();
    auto parent = parents[place];
    json one;
    one["attempt"] = view->getHeader().getAttempt().cStr();
    one["parent"] = parent == 0 ? json(nullptr) : json(tree[parent].attempt->read()->getHeader().getAttempt().cStr());
    one["outcome"] = enum_name(view->getOutcome());
    one["ratio"] = was_measured(view->getPromotion()) ? number_or_null(view->getPromotion().getRatio()) : json(nullptr);
    one["chosen_by"] = view->getChosenBy().cStr();
    document["nodes"].push_back(std::move(one));
  }
  return document;
}

}  // namespace

int tree_command(const show_arguments& arguments) {
  auto options = options_of(arguments.shared);
  if (!options) return report_error(options.failure());
  auto stored = read_exploration(*options, arguments.exploration);
  if (!stored) return report_error(stored.failure());
  auto tree = search_tree(stored->attempts);
  auto view = stored->row.read();
  if (arguments.shared.json) {
    print_json(document_of(tree, *view));
    return exit_done;
  }
  auto spec = view->getSpec();
  std::cout << spec.getTask().cStr() << " (" << spec.getTimedCase().cStr() << "), policy " << spec.getPolicy().cStr()
            << ", " << stored->attempts.size() << " attempts; each ratio is to the best of its moment\n";
  for (const auto& line : search_tree_lines(tree, leaves_drawn_max)) std::cout << line << '\n';
  return exit_done;
}

}  // namespace kope
