#include "actors/coder/schedule/families/matrix_product.hpp"

#include <string>

#include "actors/coder/schedule/families/matrix_product_text.hpp"
#include "actors/coder/schedule/kernel_text.hpp"
#include "actors/coder/schedule/space_table.hpp"

namespace kope {
namespace {

constexpr const char* family_name = "matmul";  // as task files call it

enum place { vector_width, register_rows, register_vectors, depth_block, row_block, pack_a, prefetch, depth_unroll };

// A register block and its operands share the registers: rows * vectors accumulators, the vectors of one row of b and
// one broadcast element of a. 12 + 3 + 1 fill 16 registers, 28 + 2 + 1 leave one of 32.
double accumulators_max(int registers) { return registers >= 32 ? 28 : 12; }

space_table table_of(std::vector<double> widths, std::vector<double> rows, int registers) {
  const auto algorithmic = wire::ParameterClass::ALGORITHMIC, machine_bound = wire::ParameterClass::MACHINE_BOUND;
  return {family_name,
          {{"vector_width", machine_bound, std::move(widths), true},
           {"register_rows", machine_bound, std::move(rows), true},
           {"register_vectors", machine_bound, {1, 2, 3, 4}, true},
           {"depth_block", machine_bound, {128, 256, 512}, true},
           {"row_block", machine_bound, {60, 120, 240}, true},
           {"pack_a", algorithmic, {0, 1}, true},
           {"prefetch", machine_bound, {0, 1}, true},
           {"depth_unroll", machine_bound, {1, 2}, true}},
          {{{"register_rows", "register_vectors"}, accumulators_max(registers)}},
          {}};
}

/// What generate() accepts: the union over all machines, because it is not told the target.
const space_table& any_machine() {
  static const space_table table = table_of({4, 8, 16}, {3, 4, 5, 6, 8, 12, 14}, 32);
  return table;
}

/// Narrower vectors than half the machine's never won, so they do not blow up the space.
space_table table_for(vector_machine machine) {
  const double widest = machine.lanes;
  auto widths = machine.lanes > 4 ? std::vector<double>{widest / 2, widest} : std::vector<double>{widest};
  auto table = machine.registers >= 32 ? table_of(widths, {4, 6, 8, 12, 14}, machine.registers)
                                       : table_of(widths, {3, 4, 5, 6, 8, 12}, machine.registers);
  // Plain choices of moderate size: the search has somewhere to go from each. Their blocks suit 32 KiB of L1 and
  // 256 KiB of L2, which every machine of the last ten years has.
  if (machine.registers >= 32)
    table.starting_points = {
        {widest, 8, 2, 256, 120, 0, 0, 1}, {widest, 12, 2, 256, 120, 1, 0, 1}, {widest, 6, 4, 256, 60, 1, 1, 1}};
  else
    table.starting_points = {
        {widest, 4, 2, 256, 120, 0, 0, 1}, {widest, 6, 2, 256, 120, 1, 0, 1}, {widest, 4, 3, 256, 60, 1, 1, 1}};
  return table;
}

}  // namespace

std::string_view matrix_product::name() const { return family_name; }

result<unit> matrix_product::accepts(wire::Task::Reader task) const {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  return expect_prototype(task, family_name, 3, {{in, {0, 2}}, {in, {2, 1}}, {out, {0, 1}}},
                          "f32 inputs [m, k] and [k, n], f32 output [m, n] and sizes m, n, k");
}

parameter_space matrix_product::space(wire::Task::Reader, wire::TargetRecord::Reader target) const {
  return build_space(table_for(vector_machine_of(target)));
}

result<generated_source> matrix_product::generate(wire::Task::Reader task,
                                                  capnp::List<wire::Parameter>::Reader parameters) const {
  if (auto accepted = accepts(task); !accepted) return accepted.failure();
  auto read = read_point(any_machine(), parameters);
  if (!read) return read.failure();
  const auto& point = *read;
  return generated_source{heading(any_machine(), point) + matrix_product_text({.lanes = point[vector_width],
                                                                               .rows = point[register_rows],
                                                                               .vectors = point[register_vectors],
                                                                               .depth_block = point[depth_block],
                                                                               .row_block = point[row_block],
                                                                               .depth_unroll = point[depth_unroll],
                                                                               .pack_a = point[pack_a] != 0,
                                                                               .pack_b = true,
                                                                               .batched = false,
                                                                               .prefetch = point[prefetch] != 0}),
                          {}};
}

}  // namespace kope
