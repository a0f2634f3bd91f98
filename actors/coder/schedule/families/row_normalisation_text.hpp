// The text of a softmax over rows for one choice of parameters. Pure; used by the family alone.
#pragma once

#include <cstdint>
#include <string>

namespace kope {

struct row_normalisation_choice {
  int64_t lanes;             ///< floats in a vector
  int64_t rows_together;     ///< rows side by side in one loop
  int64_t vectors_together;  ///< vectors of a row in one turn of a loop
  int64_t sweeps_at_once;    ///< of the three sweeps over a row, how many share a loop, each over other rows
  int64_t prefetch_bytes;    ///< ahead of where the first sweep reads; 0: none
  bool streaming;            ///< y is written past the caches
};

std::string row_normalisation_text(const row_normalisation_choice& choice);

}  // namespace kope
