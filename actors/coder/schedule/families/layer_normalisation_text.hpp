// The text of a layer normalisation for one choice of parameters. Pure; used by the family alone.
#pragma once

#include <cstdint>
#include <string>

namespace kope {

struct layer_normalisation_choice {
  std::string epsilon;       ///< as it stands in C++, an f32
  int64_t lanes;             ///< floats in a vector
  int64_t rows_together;     ///< rows side by side in one loop
  int64_t vectors_together;  ///< vectors of a row in one turn of a loop
  bool one_pass;             ///< mean and variance from one sweep over a row, else from two
  int64_t prefetch_bytes;    ///< ahead of where the first sweep reads; 0: none
  bool streaming;            ///< y is written past the caches
};

std::string layer_normalisation_text(const layer_normalisation_choice& choice);

}  // namespace kope
