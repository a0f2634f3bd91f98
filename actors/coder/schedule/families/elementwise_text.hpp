// The text of an element-wise kernel for one choice of parameters. Pure; used by the family alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/coder/schedule/families/elementwise_formula.hpp"

namespace kope {

struct elementwise_operator {
  std::vector<std::string> inputs;  ///< names, in prototype order
  std::string output;
  std::vector<std::string> sizes;           ///< names, in prototype order
  std::vector<std::string> extents;         ///< of the output, each a size
  std::vector<std::vector<bool>> has_axis;  ///< of each input: which of the output's extents it has
  std::vector<bool> output_at;              ///< of each tensor in prototype order: whether it is the output
  vector_formula formula;
};

struct elementwise_choice {
  int64_t lanes;             ///< floats in a vector
  int64_t vectors_together;  ///< vectors in one turn of the loop
  int64_t prefetch_bytes;    ///< ahead of where inputs are read; 0: none
  bool streaming;            ///< the output is written past the caches
};

std::string elementwise_text(const elementwise_operator& of, const elementwise_choice& choice);

}  // namespace kope
