// What a function's text shows about the arrays that it is given: how far its loops reach into each, and whether it
// reads or writes it. Not a proof: the reference's own run, between guard pages, is what confirms it. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/own_kernel/size_formula.hpp"

namespace kope {

struct array_use {
  bool reads = false;  ///< an element that was not written just before: `c[i] = 0; c[i] += x;` does not read c
  bool writes = false;
  bool unknown = false;                      ///< it was handed to something whose text is not here, or walked by ++
  std::optional<size_formula> elements;      ///< one above the largest index that its loops give
  std::optional<size_formula> first_extent;  ///< of an array of arrays: of the first index alone
  std::string written_first;                 ///< the index whose element is written before any is read
  std::string shown_by;                      ///< the text of that index
};

/// Of each array (a parameter "a", a field of one "q.data"), in `name`'s own terms. `tokens`: the whole file.
std::map<std::string, array_use> find_array_use(const std::vector<c_token>& tokens, std::string_view name,
                                                const std::vector<std::string>& arrays);

}  // namespace kope
