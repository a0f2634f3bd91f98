#include "actors/coder/schedule/families/layer_normalisation.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "actors/coder/schedule/families/layer_normalisation_text.hpp"
#include "actors/coder/schedule/kernel_text.hpp"
#include "actors/coder/schedule/space_table.hpp"

namespace kope {
namespace {

constexpr const char* family_name = "layer_normalisation";  // as task files call it

enum place { vector_width, rows_together, vectors_together, one_pass, prefetch_bytes, streaming_stores };

// One pass has two sums for each vector in a turn, of rows * vectors.
double vectors_max(int registers) { return registers >= 32 ? 8 : 4; }

space_table table_of(std::vector<double> widths, int registers) {
  const auto algorithmic = wire::ParameterClass::ALGORITHMIC, machine_bound = wire::ParameterClass::MACHINE_BOUND;
  return {family_name,
          {{"vector_width", machine_bound, std::move(widths), true},
           {"rows_together", algorithmic, {1, 2, 4}, true},
           {"vectors_together", machine_bound, {1, 2, 4, 8}, true},
           {"one_pass", algorithmic, {0, 1}, true},
           {"prefetch_bytes", machine_bound, {0, 512, 2048, 4096, 8192}, true},
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
  table.starting_points = {{widest, 1, 4, 0, 0, 0}, {widest, 1, 4, 1, 4096, 1}, {widest, 4, 1, 1, 0, 0}};
  return table;
}

/// As C++, or empty when it is no positive number of f32.
std::string epsilon_of(wire::Task::Reader task) {
  const std::string text = attribute_of(task, "epsilon");
  char* end = nullptr;
  const float value = std::strtof(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isnormal(value) || value <= 0) return {};
  char written[32];
  std::snprintf(written, sizeof written, "%.9e", static_cast<double>(value));
  return written;
}

}  // namespace

std::string_view layer_normalisation::name() const { return family_name; }

result<unit> layer_normalisation::accepts(wire::Task::Reader task) const {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  auto right =
      expect_prototype(task, family_name, 2, {{in, {0, 1}}, {in, {1}}, {in, {1}}, {out, {0, 1}}},
                       "f32 inputs [rows, n], [n] and [n], f32 output [rows, n] and sizes rows, n", {"epsilon"});
  if (right && epsilon_of(task).empty())
    return not_of_family(task, family_name, "must have the attribute 'epsilon', a number above 0 as a text");
  return right;
}

parameter_space layer_normalisation::space(wire::Task::Reader, wire::TargetRecord::Reader target) const {
  return build_space(table_for(vector_machine_of(target)));
}

result<generated_source> layer_normalisation::generate(wire::Task::Reader task,
                                                       capnp::List<wire::Parameter>::Reader parameters) const {
  if (auto accepted = accepts(task); !accepted) return accepted.failure();
  auto read = read_point(any_machine(), parameters);
  if (!read) return read.failure();
  const auto& point = *read;
  return generated_source{
      heading(any_machine(), point) + layer_normalisation_text({.epsilon = epsilon_of(task),
                                                                .lanes = point[vector_width],
                                                                .rows_together = point[rows_together],
                                                                .vectors_together = point[vectors_together],
                                                                .one_pass = point[one_pass] != 0,
                                                                .prefetch_bytes = point[prefetch_bytes],
                                                                .streaming = point[streaming_stores] != 0}),
      {}};
}

}  // namespace kope
