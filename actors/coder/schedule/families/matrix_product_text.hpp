// The text of a matrix product for one choice of blocks. Pure; used by the families of products alone.
#pragma once

#include <cstdint>
#include <string>

namespace kope {

struct matrix_product_blocks {
  int64_t lanes;         ///< floats in a vector
  int64_t rows;          ///< register block: rows of c
  int64_t vectors;       ///< register block: vectors side by side
  int64_t depth_block;   ///< of k, so that a panel of b stays in L1
  int64_t row_block;     ///< of m, so that a block of a stays in L2
  int64_t depth_unroll;  ///< steps of depth in one turn of the inner loop
  bool pack_a;           ///< copy a block of a into the order of use
  bool pack_b;           ///< copy panels of b into the order of use, else only one that ends within b
  bool batched;          ///< a loop over as many products around it
  bool prefetch;         ///< the next panel of b and the block of c that is about to be written
};

std::string matrix_product_text(const matrix_product_blocks& blocks);

}  // namespace kope
