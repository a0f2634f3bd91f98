#include "actors/coder/schedule/families/matrix_product_text.hpp"

#include "actors/coder/schedule/kernel_text.hpp"

namespace kope {
namespace {

constexpr std::string_view frame = R"(#include <stdint.h>

$vector_type$
namespace {

enum : int64_t {
  lanes = $lanes$,  // floats in a vector
  block_rows = $rows$,
  block_vectors = $vectors$,
  block_columns = lanes * block_vectors,
  tail_rows = (block_rows + 1) / 2,  // register block of the last few rows
  depth_block = $depth_block$,
  row_block = $row_block$ / block_rows * block_rows,
  column_block = 2048 / block_columns * block_columns,  // bounds the scratch
};

alignas(4096) float packed_b[depth_block * column_block];
alignas(4096) float packed_a[depth_block * $packed_rows$];
alignas(64) float edge[block_rows * block_columns];

inline int64_t smaller(int64_t x, int64_t y) { return x < y ? x : y; }
inline vec load(const float* from) { return *(const vec*)from; }
inline void store(float* to, vec v) { *(vec*)to = v; }

// One step of depth: a column of a times a row of b.
template <int64_t rows, bool packed>
inline __attribute__((always_inline)) void step(vec (&sum)[rows][block_vectors], const float* a, int64_t a_row,
                                                const float* panel) {
  vec b[block_vectors];
#pragma GCC unroll 4
  for (int64_t j = 0; j < block_vectors; ++j) {
    b[j] = load(panel + j * lanes);
$keep$  }
#pragma GCC unroll 16
  for (int64_t i = 0; i < rows; ++i) {
    const vec x = (packed ? a[i] : a[i * a_row]) - vec{};
#pragma GCC unroll 4
    for (int64_t j = 0; j < block_vectors; ++j) sum[i][j] += x * b[j];
  }
}

// rows x block_columns of c from rows of a and a panel of b.$fetch_note$
template <int64_t rows, bool packed$fetch_declared$>
__attribute__((noinline)) void multiply(const float* __restrict a, int64_t a_row,
                                        const float* __restrict panel$panel_row$,
                                        float* __restrict c, int64_t c_row, int64_t depth, bool first) {
  vec sum[rows][block_vectors] = {};
$prefetch_c$  const int64_t a_step = packed ? rows : 1;
  int64_t p = 0;
$fetch_a$$unrolled$  for (; p < depth; ++p) {
    step<rows, packed>(sum, a, a_row, panel);
    a += a_step;
    panel += $panel_step$;
  }
#pragma GCC unroll 16
  for (int64_t i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int64_t j = 0; j < block_vectors; ++j) {
      float* to = c + i * c_row + j * lanes;
      store(to, first ? sum[i][j] : load(to) + sum[i][j]);
    }
}

// As multiply, where rows or columns may be missing at the edge of c.
template <int64_t rows, bool packed>
void multiply_within(const float* a, int64_t a_row, const float* panel$panel_row$, float* c,
                     int64_t c_row, int64_t depth, bool first, int64_t count, int64_t columns$next_declared$) {
  if (count == rows && columns == block_columns) {
$call$    return;
  }
  multiply<rows, packed>(a, a_row, panel$with_panel_row$, edge, block_columns, depth, true);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      float* to = c + i * c_row + j;
      *to = first ? edge[i * block_columns + j] : *to + edge[i * block_columns + j];
    }
}

// Rows of a in the order in which multiply reads them, zeros below the last.
template <int64_t rows>
void pack_rows(const float* __restrict a, int64_t a_row, int64_t count, int64_t depth, float* __restrict to) {
  if (count == rows) {
    for (int64_t p = 0; p < depth; ++p)
#pragma GCC unroll 16
      for (int64_t i = 0; i < rows; ++i) to[p * rows + i] = a[i * a_row + p];
  } else {
    for (int64_t p = 0; p < depth; ++p)
      for (int64_t i = 0; i < rows; ++i) to[p * rows + i] = i < count ? a[i * a_row + p] : 0;
  }
}

// A panel of b, zeros beyond the last column.
void pack_panel(const float* __restrict b, int64_t b_row, int64_t count, int64_t depth, float* __restrict to) {
  if (count == block_columns) {
    for (int64_t p = 0; p < depth; ++p)
#pragma GCC unroll 4
      for (int64_t j = 0; j < block_vectors; ++j)
        store(to + p * block_columns + j * lanes, load(b + p * b_row + j * lanes));
  } else {
    for (int64_t p = 0; p < depth; ++p)
      for (int64_t j = 0; j < block_columns; ++j) to[p * block_columns + j] = j < count ? b[p * b_row + j] : 0;
  }
}
$end_before$$head$(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t j0 = 0; j0 < n; j0 += column_block) {
    const int64_t columns = smaller(column_block, n - j0);
    for (int64_t p0 = 0; p0 < k; p0 += depth_block) {
      const int64_t depth = smaller(depth_block, k - p0);
      const bool first = p0 == 0;
      for (int64_t i0 = 0; i0 < m; i0 += row_block) {
        const int64_t rows = smaller(row_block, m - i0);
        const int64_t whole = rows / block_rows * block_rows, rest = rows - whole;
        const float* from = a + i0 * k + p0;
$pack_a$        float* last = packed_a$last$;
        if (rest > tail_rows)
          pack_rows<block_rows>(from + whole * k, k, rest, depth, last);
        else if (rest > 0)
          pack_rows<tail_rows>(from + whole * k, k, rest, depth, last);
        for (int64_t j = 0; j < columns; j += block_columns) {
          const int64_t width = smaller(block_columns, columns - j);
$panel$$ahead$          for (int64_t i = 0; i < whole; i += block_rows) {
$prefetch_b$            multiply_within<block_rows, $packed$>($block$, panel$with_panel_row$, to + i * n, n,
                                                  depth, first, block_rows, width$next$);
          }
          if (rest > tail_rows)
            multiply_within<block_rows, true>(last, 0, panel$with_panel_row$, to + whole * n, n, depth, first,
                                        rest, width);
          else if (rest > 0)
            multiply_within<tail_rows, true>(last, 0, panel$with_panel_row$, to + whole * n, n, depth, first,
                                        rest, width);
        }
      }
    }
  }
}
$end$)";

// Without it GCC 12 reads b from memory again in every multiplication, which halves the speed of three vectors; it
// must not be asked for where the block already fills the registers.
constexpr std::string_view keep_b = R"(#ifdef $has_vectors$
    asm("" : "+v"(b[j]));  // in a register, not an operand in memory
#endif
)";

constexpr std::string_view prefetch_c = R"(#pragma GCC unroll 16
  for (int64_t i = 0; i < rows; ++i) {
    __builtin_prefetch(c + i * c_row, 1);
    __builtin_prefetch(c + i * c_row + block_columns - 1, 1);
  }
)";

// Where a is not packed, the first panel is the one that meets it in memory.
constexpr std::string_view fetch_a = R"(  if (fetch) {
    for (; p + 16 <= depth; p += 16) {
#pragma GCC unroll 16
      for (int64_t i = 0; i < rows; ++i) __builtin_prefetch(a + (rows + i) * a_row);
      for (int64_t q = 0; q < 16; ++q) {
        step<rows, packed>(sum, a, a_row, panel);
        a += a_step;
        panel += $panel_step$;
      }
    }
  }
)";
constexpr std::string_view call =
    "    multiply<rows, packed>(a, a_row, panel$with_panel_row$, c, c_row, depth, first);\n";
constexpr std::string_view call_with_fetch = R"(    if (fetch)
      multiply<rows, packed, !packed>(a, a_row, panel$with_panel_row$, c, c_row, depth, first);
    else
      multiply<rows, packed>(a, a_row, panel$with_panel_row$, c, c_row, depth, first);
)";

constexpr std::string_view packed_panel = R"(          float* panel = packed_b + j * depth;
          float* to = c + i0 * n + j0 + j;
          if (i0 == 0) pack_panel(b + p0 * n + j0 + j, n, width, depth, panel);
)";
// Copying costs more than it gains where a panel is used few times; one that ends within b is filled up all the same.
constexpr std::string_view plain_panel = R"(          const bool plain = width == block_columns;
          const float* panel = plain ? b + p0 * n + j0 + j : packed_b;
          const int64_t panel_row = plain ? n : block_columns;
          float* to = c + i0 * n + j0 + j;
          if (i0 == 0 && !plain) pack_panel(b + p0 * n + j0 + j, n, width, depth, packed_b);
)";

constexpr std::string_view end_of_batch = R"(
}  // namespace

extern "C" void kernel(const float* a, const float* b, float* c, int64_t batch, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < batch; ++i) product(a + i * m * k, b + i * k * n, c + i * m * n, m, n, k);
}
)";

constexpr std::string_view pack_block_of_a = R"(        for (int64_t i = 0; i < whole; i += block_rows)
          pack_rows<block_rows>(from + i * k, k, block_rows, depth, packed_a + i * depth);
)";

// A panel is a column of short rows, which hardware prefetchers do not follow; it is spread over the multiplications.
constexpr std::string_view ahead = R"(          // rows of the next panel of b, fetched while this one is multiplied
          const float* next = b + p0 * n + j0 + j + block_columns;
          const int64_t next_rows = i0 == 0 && j + block_columns < columns ? depth : 0;
          const int64_t next_step = (depth * block_rows + rows - 1) / rows;
          int64_t next_row = 0;
)";
constexpr std::string_view prefetch_b =
    R"(            for (const int64_t end = smaller(next_row + next_step, next_rows); next_row < end; ++next_row)
              for (int64_t q = 0; q < block_columns; q += 16) __builtin_prefetch(next + next_row * n + q);
)";

std::string unrolled(int64_t steps, const std::string& panel_step) {
  if (steps == 1) return {};
  const std::string count = std::to_string(steps);
  std::string text = "  for (; p + " + count + " <= depth; p += " + count + ") {\n";
  for (int64_t s = 0; s < steps; ++s) {
    // Without the barrier GCC 12 mixes the steps and then runs out of registers.
    if (s > 0) text += "    asm volatile(\"\" ::: \"memory\");  // one step after the other\n";
    const std::string at = std::to_string(s);
    text += s == 0 ? "    step<rows, packed>(sum, a, a_row, panel);\n"
                   : filled("    step<rows, packed>(sum, a + $s$ * a_step, a_row, panel + $s$ * $panel_step$);\n",
                            {{"s", at}, {"panel_step", panel_step}});
  }
  return text + "    a += " + count + " * a_step;\n    panel += " + count + " * " + panel_step + ";\n  }\n";
}

}  // namespace

std::string matrix_product_text(const matrix_product_blocks& blocks) {
  auto when = [](bool wanted, std::string_view text) { return std::string(wanted ? text : ""); };
  const bool fits = blocks.rows * blocks.vectors + blocks.vectors + 1 <= (blocks.lanes == 16 ? 32 : 16);
  const bool fetches = blocks.prefetch && !blocks.pack_a;
  const char* has_vectors = vectors_macro(blocks.lanes);
  const std::string panel_step = blocks.pack_b ? "block_columns" : "panel_row";
  const std::string with_panel_row = when(!blocks.pack_b, ", panel_row");
  return filled(frame, {{"vector_type", vector_type(blocks.lanes)},
                        {"lanes", std::to_string(blocks.lanes)},
                        {"rows", std::to_string(blocks.rows)},
                        {"vectors", std::to_string(blocks.vectors)},
                        {"depth_block", std::to_string(blocks.depth_block)},
                        {"row_block", std::to_string(blocks.row_block)},
                        {"packed_rows", blocks.pack_a ? "(row_block + block_rows)" : "block_rows"},
                        {"keep", fits ? filled(keep_b, {{"has_vectors", has_vectors}}) : ""},
                        {"prefetch_c", when(blocks.prefetch, prefetch_c)},
                        {"fetch_note", when(fetches, " fetch: the next rows of a into the cache meanwhile.")},
                        {"fetch_declared", when(fetches, ", bool fetch = false")},
                        {"fetch_a", fetches ? filled(fetch_a, {{"panel_step", panel_step}}) : ""},
                        {"panel_row", when(!blocks.pack_b, ", int64_t panel_row")},
                        {"with_panel_row", with_panel_row},
                        {"panel_step", panel_step},
                        {"panel", std::string(blocks.pack_b ? packed_panel : plain_panel)},
                        {"head", std::string(blocks.batched ? "\ninline void product" : "\nextern \"C\" void kernel")},
                        {"end_before", when(!blocks.batched, "\n}  // namespace\n")},
                        {"end", when(blocks.batched, end_of_batch)},
                        {"next_declared", when(fetches, ", bool fetch = false")},
                        {"call", filled(fetches ? call_with_fetch : call, {{"with_panel_row", with_panel_row}})},
                        {"next", when(fetches, ", j == 0")},
                        {"unrolled", unrolled(blocks.depth_unroll, panel_step)},
                        {"pack_a", when(blocks.pack_a, pack_block_of_a)},
                        {"last", when(blocks.pack_a, " + whole * depth")},
                        {"ahead", when(blocks.prefetch, ahead)},
                        {"prefetch_b", when(blocks.prefetch, prefetch_b)},
                        {"packed", blocks.pack_a ? "true" : "false"},
                        {"block", blocks.pack_a ? "packed_a + i * depth, 0" : "from + i * k, k"}});
}

}  // namespace kope
