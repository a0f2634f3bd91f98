#include "actors/coder/schedule/families/batched_product.hpp"

#include <string>

#include "actors/coder/schedule/families/matrix_product_text.hpp"
#include "actors/coder/schedule/kernel_text.hpp"
#include "actors/coder/schedule/space_table.hpp"

namespace kope {
namespace {

constexpr const char* family_name = "batched_matmul";  // as task files call it

enum place {
  vector_width,
  register_rows,
  register_vectors,
  depth_block,
  row_block,
  pack_a,
  pack_b,
  prefetch,
  depth_unroll
};

// As for one product (matrix_product.cpp): accumulators, the vectors of one row of b and one broadcast element of a.
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
           {"pack_b", algorithmic, {0, 1}, true},
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

space_table table_for(vector_machine machine) {
  const double widest = machine.lanes;
  auto widths = machine.lanes > 4 ? std::vector<double>{widest / 2, widest} : std::vector<double>{widest};
  auto table = machine.registers >= 32 ? table_of(widths, {4, 6, 8, 12, 14}, machine.registers)
                                       : table_of(widths, {3, 4, 5, 6, 8, 12}, machine.registers);
  // Small products, used where they lie; then those that outgrow a cache.
  if (machine.registers >= 32)
    table.starting_points = {{widest, 8, 2, 256, 240, 0, 0, 0, 1},
                             {widest, 4, 4, 256, 240, 0, 0, 1, 1},
                             {widest, 12, 2, 256, 120, 1, 1, 0, 1}};
  else
    table.starting_points = {{widest, 4, 2, 256, 240, 0, 0, 0, 1},
                             {widest, 3, 4, 256, 240, 0, 0, 1, 1},
                             {widest, 6, 2, 256, 120, 1, 1, 0, 1}};
  return table;
}

}  // namespace

std::string_view batched_product::name() const { return family_name; }

result<unit> batched_product::accepts(wire::Task::Reader task) const {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  return expect_prototype(
      task, family_name, 4, {{in, {0, 1, 3}}, {in, {0, 3, 2}}, {out, {0, 1, 2}}},
      "f32 inputs [batch, m, k] and [batch, k, n], f32 output [batch, m, n] and sizes batch, m, n, k");
}

parameter_space batched_product::space(wire::Task::Reader, wire::TargetRecord::Reader target) const {
  return build_space(table_for(vector_machine_of(target)));
}

result<generated_source> batched_product::generate(wire::Task::Reader task,
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
                                                                               .pack_b = point[pack_b] != 0,
                                                                               .batched = true,
                                                                               .prefetch = point[prefetch] != 0}),
                          {}};
}

}  // namespace kope
