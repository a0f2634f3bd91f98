#include "actors/coder/schedule/families/row_reduction.hpp"

#include <string>

#include "actors/coder/schedule/kernel_text.hpp"
#include "actors/coder/schedule/space_table.hpp"

namespace kope {
namespace {

constexpr const char* family_name = "reduction";  // as task files call it

enum place { vector_width, streams, accumulators, prefetch_bytes };

// streams * accumulators sums are held in registers; a load needs one more.
double sums_max(int registers) { return registers >= 32 ? 16 : 8; }

space_table table_of(std::vector<double> widths, int registers) {
  const auto algorithmic = wire::ParameterClass::ALGORITHMIC, machine_bound = wire::ParameterClass::MACHINE_BOUND;
  return {family_name,
          {{"vector_width", machine_bound, std::move(widths), true},
           {"streams", algorithmic, {1, 2, 4, 8}, true},
           {"accumulators", machine_bound, {1, 2, 4, 8}, true},
           {"prefetch_bytes", machine_bound, {0, 256, 512, 1024, 2048, 4096}, true}},
          {{{"streams", "accumulators"}, sums_max(registers)}},
          {}};
}

/// What generate() accepts: the union over all machines, because it is not told the target.
const space_table& any_machine() {
  static const space_table table = table_of({4, 8, 16}, 32);
  return table;
}

space_table table_for(vector_machine machine) {
  const double widest = machine.lanes;
  auto table = table_of(machine.lanes > 4 ? std::vector<double>{widest / 2, widest} : std::vector<double>{widest},
                        machine.registers);
  // Four sums hide the latency of an addition on any machine; streams and distances are for the search to find.
  table.starting_points = {{widest, 1, 4, 0}, {widest, 2, 2, 0}, {widest, 1, 8, 512}};
  return table;
}

constexpr std::string_view frame = R"(#include <stdint.h>

$vector_type$
namespace {

enum : int64_t {
  lanes = $lanes$,  // floats in a vector
  streams = $streams$,  // places of a row, or rows, that are read side by side
  sums = $accumulators$,  // accumulators of a stream
  short_row = 1024,  // strided sums are collected in rows at least this long: 4 KiB, so that they stay in L1
};

alignas(64) float collected[2 * short_row];

inline vec load(const float* from) { return *(const vec*)from; }
inline void store(float* to, vec v) { *(vec*)to = v; }

// The sum of n floats side by side.
float sum_of(const float* x, int64_t n) {
  const int64_t stride = sums * lanes;
  const int64_t part = n / (streams * stride) * stride;
  float total = 0;
  int64_t i = 0;
  if (n >= lanes) {
    vec all = {};
    if (part > 0) {
      vec sum[streams][sums] = {};
      for (; i < part; i += stride)
#pragma GCC unroll 8
        for (int64_t s = 0; s < streams; ++s) {
          const float* from = x + s * part + i;
$prefetch$#pragma GCC unroll 8
          for (int64_t j = 0; j < sums; ++j) sum[s][j] += load(from + j * lanes);
        }
      for (int64_t s = 0; s < streams; ++s)
        for (int64_t j = 0; j < sums; ++j) all += sum[s][j];
      i = streams * part;
    }
    for (; i + lanes <= n; i += lanes) all += load(x + i);
    for (int64_t l = 0; l < lanes; ++l) total += all[l];
  }
  for (; i < n; ++i) total += x[i];
  return total;
}

// Adds `rows` rows of x, each `length` long and side by side, to the row `to`.
void add_rows(const float* __restrict x, int64_t rows, int64_t length, float* __restrict to) {
  int64_t r = 0;
  for (; r + streams <= rows; r += streams, x += streams * length) {
    int64_t i = 0;
    for (; i + lanes <= length; i += lanes) {
      vec sum = load(x + i);
#pragma GCC unroll 8
      for (int64_t s = 1; s < streams; ++s) sum += load(x + s * length + i);
      store(to + i, load(to + i) + sum);
    }
    for (; i < length; ++i) {
      float sum = x[i];
      for (int64_t s = 1; s < streams; ++s) sum += x[s * length + i];
      to[i] += sum;
    }
  }
  for (; r < rows; ++r, x += length)
    for (int64_t i = 0; i < length; ++i) to[i] += x[i];
}

}  // namespace

extern "C" void kernel(const float* x, float* y, int64_t outer, int64_t n, int64_t inner) {
  if (inner == 1) {
    for (int64_t o = 0; o < outer; ++o) y[o] = sum_of(x + o * n, n);
    return;
  }
  // Several short rows in a chain are one long row, in which each column is seen `fold` times.
  int64_t fold = (short_row + inner - 1) / inner;
  if (fold > n) fold = n;
  for (int64_t o = 0; o < outer; ++o, x += n * inner, y += inner) {
    for (int64_t i = 0; i < inner; ++i) y[i] = 0;
    if (fold == 1) {
      add_rows(x, n, inner, y);
      continue;
    }
    const int64_t length = fold * inner, rows = n / fold;
    for (int64_t i = 0; i < length; ++i) collected[i] = 0;
    add_rows(x, rows, length, collected);
    add_rows(collected, fold, inner, y);
    add_rows(x + rows * length, n - rows * fold, inner, y);
  }
}
)";

std::string prefetch(int64_t bytes, int64_t accumulators, int64_t lanes) {
  if (bytes == 0) return {};
  std::string text;
  for (int64_t at = 0; at < accumulators * lanes; at += 16)  // one for each cache line
    text += "          __builtin_prefetch(from + " + std::to_string(bytes / 4 + at) + ");\n";
  return text;
}

}  // namespace

std::string_view row_reduction::name() const { return family_name; }

result<unit> row_reduction::accepts(wire::Task::Reader task) const {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  return expect_prototype(task, family_name, 3, {{in, {0, 1, 2}}, {out, {0, 2}}},
                          "f32 input [outer, n, inner], f32 output [outer, inner] and sizes outer, n, inner");
}

parameter_space row_reduction::space(wire::Task::Reader, wire::TargetRecord::Reader target) const {
  return build_space(table_for(vector_machine_of(target)));
}

result<generated_source> row_reduction::generate(wire::Task::Reader task,
                                                 capnp::List<wire::Parameter>::Reader parameters) const {
  if (auto accepted = accepts(task); !accepted) return accepted.failure();
  auto read = read_point(any_machine(), parameters);
  if (!read) return read.failure();
  const auto& point = *read;
  return generated_source{
      heading(any_machine(), point) +
          filled(frame, {{"vector_type", vector_type(point[vector_width])},
                         {"lanes", std::to_string(point[vector_width])},
                         {"streams", std::to_string(point[streams])},
                         {"accumulators", std::to_string(point[accumulators])},
                         {"prefetch", prefetch(point[prefetch_bytes], point[accumulators], point[vector_width])}}),
      {}};
}

}  // namespace kope
