// The search of one exploration as a tree: each attempt below the one whose source it changed. Plain functions over
// stored attempts; any thread.
#pragma once

#include <string>
#include <vector>

#include "messages/graph.capnp.h"
#include "messages/parcel.hpp"

namespace kope {

using attempt_record = parcel<wire::Attempt>;

struct search_node {
  const attempt_record* attempt = nullptr;  ///< nothing at the root, which is the reference
  std::vector<size_t> children;             ///< places in the tree, oldest first
};

/// Root first. An attempt whose parent is not among them hangs below the root. Points into `attempts`.
std::vector<search_node> search_tree(const std::vector<attempt_record>& attempts);

/// As lines with branches, for a terminal. What led on has a line, and of the rest below each node the best
/// `leaves_max`; all others are counted by outcome. Indentation ends after some levels, so that a long chain of small
/// gains stays on the screen.
std::vector<std::string> search_tree_lines(const std::vector<search_node>& tree, size_t leaves_max);

}  // namespace kope
