#include "actors/coder/schedule/families/row_normalisation.hpp"

#include <string>

#include "actors/coder/schedule/families/row_normalisation_text.hpp"
#include "actors/coder/schedule/kernel_text.hpp"
#include "actors/coder/schedule/space_table.hpp"

namespace kope {
namespace {

constexpr const char* family_name = "row_normalisation";  // as task files call it

enum place { vector_width, rows_together, vectors_together, sweeps_at_once, prefetch_bytes, streaming_stores };

// Each vector in a turn needs three registers while it is raised; four leave some of sixteen for constants and sums.
double vectors_max(int registers) { return registers >= 32 ? 8 : 4; }

space_table table_of(std::vector<double> widths, int registers) {
  const auto algorithmic = wire::ParameterClass::ALGORITHMIC, machine_bound = wire::ParameterClass::MACHINE_BOUND;
  return {family_name,
          {{"vector_width", machine_bound, std::move(widths), true},
           {"rows_together", algorithmic, {1, 2, 4}, true},
           {"vectors_together", machine_bound, {1, 2, 4}, true},
           {"sweeps_at_once", algorithmic, {1, 2, 3}, true},
           {"prefetch_bytes", machine_bound, {0, 512, 2048}, true},
           {"streaming_stores", machine_bound, {0, 1}, true}},
          {{{"rows_together", "vectors_together"}, vectors_max(registers)}},
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
  // For rows in the caches, for rows from memory, and for rows of a few vectors.
  table.starting_points = {{widest, 1, 4, 3, 2048, 0}, {widest, 1, 4, 2, 2048, 1}, {widest, 2, 1, 1, 0, 0}};
  return table;
}

}  // namespace

std::string_view row_normalisation::name() const { return family_name; }

result<unit> row_normalisation::accepts(wire::Task::Reader task) const {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  return expect_prototype(task, family_name, 2, {{in, {0, 1}}, {out, {0, 1}}},
                          "f32 input [rows, n], f32 output [rows, n] and sizes rows, n");
}

parameter_space row_normalisation::space(wire::Task::Reader, wire::TargetRecord::Reader target) const {
  return build_space(table_for(vector_machine_of(target)));
}

result<generated_source> row_normalisation::generate(wire::Task::Reader task,
                                                     capnp::List<wire::Parameter>::Reader parameters) const {
  if (auto accepted = accepts(task); !accepted) return accepted.failure();
  auto read = read_point(any_machine(), parameters);
  if (!read) return read.failure();
  const auto& point = *read;
  return generated_source{
      heading(any_machine(), point) + row_normalisation_text({.lanes = point[vector_width],
                                                              .rows_together = point[rows_together],
                                                              .vectors_together = point[vectors_together],
                                                              .sweeps_at_once = point[sweeps_at_once],
                                                              .prefetch_bytes = point[prefetch_bytes],
                                                              .streaming = point[streaming_stores] != 0}),
      {}};
}

}  // namespace kope
