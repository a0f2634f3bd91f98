// The text of a change of axes for one choice of parameters. Pure; used by the family alone.
#pragma once

#include <cstdint>
#include <string>

namespace kope {

struct data_movement_choice {
  int64_t axes;          ///< of the prototype
  int64_t lanes;         ///< a block is so many rows of so many floats, turned in registers
  int64_t tile_rows;     ///< of x, that are turned before the next columns are
  int64_t tile_columns;  ///< of x
  bool along_output;     ///< blocks of a tile in the order in which y lies in memory, else x
  bool prefetch;         ///< the next block's rows
  bool streaming;        ///< y is written past the caches
};

std::string data_movement_text(const data_movement_choice& choice);

}  // namespace kope
