#include "actors/coder/schedule/families/data_movement_text.hpp"

#include "actors/coder/schedule/kernel_text.hpp"

namespace kope {
namespace {

constexpr std::string_view frame = R"(#include <stdint.h>

$vector_type$typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));
namespace {

enum : int64_t {
  axes = $axes$,
  lanes = $lanes$,  // a block: so many rows of so many floats
  tile_rows = $tile_rows$,
  tile_columns = $tile_columns$,
};

template <bool streams>
inline void put(float* to, vec v) {
$stream$  *(vec*)to = v;
}
$put_quad$
// Exchanges the halves of pairs of rows that do not lie on the diagonal, for ever smaller halves.
inline __attribute__((always_inline)) void turn(quad (&v)[4]) {
$turn_quads$}
$turn_block$
// The two sizes of blocks. As members, because a template's own argument would lose the alignment of its type.
struct wide {
  typedef vec row;
};
struct narrow {
  typedef quad row;
};

// One block: y[c * y_row + r] = x[r * x_row + c].
template <class Block, bool streams>
inline void block(const float* x, int64_t x_row, float* y, int64_t y_row) {
  typedef typename Block::row row;
  enum : int64_t { side = sizeof(row) / sizeof(float) };
  row v[side];
#pragma GCC unroll 16
  for (int64_t r = 0; r < side; ++r) {
    v[r] = *(const row*)(x + r * x_row);
$prefetch$  }
  turn(v);
#pragma GCC unroll 16
  for (int64_t c = 0; c < side; ++c) put<streams>(y + c * y_row, v[c]);
}

// As block, for rows x columns of which both are at least a block. The last blocks overlap with those before them.
template <class Block, bool streams>
void blocks(const float* x, int64_t x_row, float* y, int64_t y_row, int64_t rows, int64_t columns) {
  enum : int64_t { side = sizeof(typename Block::row) / sizeof(float) };
  const int64_t whole_rows = rows / side * side, whole_columns = columns / side * side;
  for (int64_t c0 = 0; c0 < whole_columns; c0 += tile_columns) {
    const int64_t c1 = c0 + tile_columns < whole_columns ? c0 + tile_columns : whole_columns;
    for (int64_t r0 = 0; r0 < whole_rows; r0 += tile_rows) {
      const int64_t r1 = r0 + tile_rows < whole_rows ? r0 + tile_rows : whole_rows;
$tile$    }
  }
  if (whole_rows < rows)
    for (int64_t c = 0; c < whole_columns; c += side)
      block<Block, false>(x + (rows - side) * x_row + c, x_row, y + c * y_row + rows - side, y_row);
  if (whole_columns < columns) {
    const float* last = x + columns - side;
    float* to = y + (columns - side) * y_row;
    for (int64_t r = 0; r < whole_rows; r += side) block<Block, false>(last + r * x_row, x_row, to + r, y_row);
    if (whole_rows < rows) block<Block, false>(last + (rows - side) * x_row, x_row, to + rows - side, y_row);
  }
}

// y[c * y_row + r] = x[r * x_row + c] for all r < rows and c < columns.
template <bool streams>
void matrix(const float* x, int64_t x_row, float* y, int64_t y_row, int64_t rows, int64_t columns) {
  const int64_t least = rows < columns ? rows : columns;
  if (least >= lanes) {
$streamed$    return blocks<wide, false>(x, x_row, y, y_row, rows, columns);
  }
  if (least >= 4) return blocks<narrow, false>(x, x_row, y, y_row, rows, columns);
  if (rows < columns) {
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t r = 0; r < rows; ++r) y[c * y_row + r] = x[r * x_row + c];
  } else {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) y[c * y_row + r] = x[r * x_row + c];
  }
}

template <bool streams>
void copy(const float* x, float* y, int64_t n) {
  if (n < lanes) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i];
    return;
  }
  int64_t i = 0;
$align$  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    vec v[4];
#pragma GCC unroll 4
    for (int64_t j = 0; j < 4; ++j) v[j] = *(const vec*)(x + i + j * lanes);
#pragma GCC unroll 4
    for (int64_t j = 0; j < 4; ++j) put<streams>(y + i + j * lanes, v[j]);
  }
  for (; i + lanes <= n; i += lanes) put<streams>(y + i, *(const vec*)(x + i));
  if (i < n) put<false>(y + n - lanes, *(const vec*)(x + n - lanes));
}

// The output's axes, outermost first, with the steps in x and y along each.
struct axis {
  int64_t length, from, to;
};

template <bool streams>
void move(const float* x, float* y, axis* of, int64_t count) {
  const axis last = of[count - 1];
  int64_t other = -1;  // the axis along which x lies side by side, where it is not the last
  for (int64_t a = 0; a < count - 1; ++a)
    if (of[a].from == 1 && last.from != 1) other = a;
  int64_t loops = 0;
  axis loop[axes];
  for (int64_t a = 0; a < count - 1; ++a)
    if (a != other) loop[loops++] = of[a];
  int64_t place[axes] = {};
  while (true) {
    if (other >= 0)
      matrix<streams>(x, last.from, y, of[other].to, last.length, of[other].length);
    else
      copy<streams>(x, y, last.length);
    int64_t a = loops - 1;
    for (; a >= 0; --a) {
      x += loop[a].from;
      y += loop[a].to;
      if (++place[a] < loop[a].length) break;
      x -= loop[a].length * loop[a].from;
      y -= loop[a].length * loop[a].to;
      place[a] = 0;
    }
    if (a < 0) return;
  }
}

}  // namespace

extern "C" void kernel(const float* x, float* y, $parameters$, int64_t order) {
  const int64_t length[axes] = {$lengths$};
  int64_t from[axes], left[axes];
  int64_t step = 1, orders = 1;  // orders of the axes that are left
  for (int64_t a = axes - 1; a >= 0; --a) {
    from[a] = step;
    step *= length[a];
    left[a] = a;
  }
  for (int64_t a = 2; a <= axes; ++a) orders *= a;
  int64_t rest = order - 1, count = 0, to = step;
  axis of[axes];
  for (int64_t a = 0; a < axes; ++a) {
    orders /= axes - a;
    const int64_t place = rest / orders, chosen = left[place];
    rest %= orders;
    for (int64_t i = place; i + 1 < axes - a; ++i) left[i] = left[i + 1];
    if (length[chosen] == 1) continue;
    to /= length[chosen];
    if (count > 0 && of[count - 1].from == length[chosen] * from[chosen]) {  // neighbours in x as well: one axis
      of[count - 1] = {of[count - 1].length * length[chosen], from[chosen], to};
    } else {
      of[count++] = {length[chosen], from[chosen], to};
    }
  }
  if (count == 0) of[count++] = {1, 1, 1};
$moving$}
)";

constexpr std::string_view put_quad = R"(template <bool streams>
inline void put(float* to, quad v) {
  *(quad*)to = v;
}
)";

constexpr std::string_view tile_along_output = R"(      for (int64_t c = c0; c < c1; c += side)
        for (int64_t r = r0; r < r1; r += side)
          block<Block, streams>(x + r * x_row + c, x_row, y + c * y_row + r, y_row);
)";
constexpr std::string_view tile_along_input = R"(      for (int64_t r = r0; r < r1; r += side)
        for (int64_t c = c0; c < c1; c += side)
          block<Block, streams>(x + r * x_row + c, x_row, y + c * y_row + r, y_row);
)";

// Beyond the last row it reads nothing, it only asks.
constexpr std::string_view prefetch_rows = "    __builtin_prefetch(x + (side + r) * x_row);\n";
constexpr std::string_view prefetch_columns = "    __builtin_prefetch(x + r * x_row + 2 * side);\n";

constexpr std::string_view streamed =
    R"(    if (streams && (uintptr_t)y % sizeof(vec) == 0 && y_row % lanes == 0)
      return blocks<wide, streams>(x, x_row, y, y_row, rows, columns);
)";
constexpr std::string_view align = R"(  if (streams && (uintptr_t)y % sizeof(vec) != 0) {
    put<false>(y, *(const vec*)x);
    i = (int64_t)((sizeof(vec) - (uintptr_t)y % sizeof(vec)) / sizeof(float));
  }
)";
constexpr std::string_view move_streaming = R"(#ifdef $has_vectors$
  move<true>(x, y, of, count);
  __builtin_ia32_sfence();  // in y before anyone hears that it is
#else
  move<false>(x, y, of, count);
#endif
)";

/// v[i] and v[i + half] exchange their halves: of each pair of groups of `half` lanes, one stays and one goes.
std::string turning(int64_t side, const char* row) {
  std::string text;
  for (int64_t half = side / 2; half >= 1; half /= 2) {
    std::string upper, lower;
    for (int64_t l = 0; l < side; ++l) {
      upper += ", " + std::to_string(l & half ? side + l - half : l);
      lower += ", " + std::to_string(l & half ? side + l : l + half);
    }
    const std::string at = std::to_string(half);
    text += "#pragma GCC unroll 16\n  for (int i = 0; i < " + std::to_string(side) + "; ++i) {\n    if (i & " + at +
            ") continue;\n    const " + row + " a = v[i], b = v[i + " + at +
            "];\n    v[i] = __builtin_shufflevector(a, b" + upper + ");\n    v[i + " + at +
            "] = __builtin_shufflevector(a, b" + lower + ");\n  }\n";
  }
  return text;
}

}  // namespace

std::string data_movement_text(const data_movement_choice& choice) {
  std::string parameters, lengths;
  for (int64_t a = 0; a < choice.axes; ++a) {
    const std::string name = "d" + std::to_string(a + 1);
    parameters += (a ? ", int64_t " : "int64_t ") + name;
    lengths += (a ? ", " : "") + name;
  }
  const char* has_vectors = vectors_macro(choice.lanes);
  std::string turn_block;
  if (choice.lanes > 4)
    turn_block =
        "inline __attribute__((always_inline)) void turn(vec (&v)[lanes]) {\n" + turning(choice.lanes, "vec") + "}\n";
  return filled(frame, {{"vector_type", vector_type(choice.lanes)},
                        {"axes", std::to_string(choice.axes)},
                        {"lanes", std::to_string(choice.lanes)},
                        {"tile_rows", std::to_string(choice.tile_rows)},
                        {"tile_columns", std::to_string(choice.tile_columns)},
                        {"stream", choice.streaming ? streaming_store(choice.lanes) : ""},
                        {"put_quad", std::string(choice.lanes > 4 ? put_quad : "")},
                        {"turn_quads", turning(4, "quad")},
                        {"turn_block", turn_block},
                        {"prefetch", std::string(!choice.prefetch      ? ""
                                                 : choice.along_output ? prefetch_rows
                                                                       : prefetch_columns)},
                        {"tile", std::string(choice.along_output ? tile_along_output : tile_along_input)},
                        {"streamed", std::string(choice.streaming ? streamed : "")},
                        {"align", std::string(choice.streaming ? align : "")},
                        {"parameters", parameters},
                        {"lengths", lengths},
                        {"moving", choice.streaming ? filled(move_streaming, {{"has_vectors", has_vectors}})
                                                    : "  move<false>(x, y, of, count);\n"}});
}

}  // namespace kope
