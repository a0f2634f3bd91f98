#include "actors/coder/schedule/families/data_movement.hpp"

#include <algorithm>
#include <string>

#include "actors/coder/schedule/families/data_movement_text.hpp"
#include "actors/coder/schedule/kernel_text.hpp"
#include "actors/coder/schedule/space_table.hpp"

namespace kope {
namespace {

constexpr const char* family_name = "data_movement";  // as task files call it

// The number of an order of 8 axes still fits a size, and nobody has more.
constexpr unsigned axes_min = 2, axes_max = 8;

enum place { vector_width, tile_rows, tile_columns, along_output, prefetch, streaming_stores };

space_table table_of(std::vector<double> widths) {
  const auto algorithmic = wire::ParameterClass::ALGORITHMIC, machine_bound = wire::ParameterClass::MACHINE_BOUND;
  return {family_name,
          {{"vector_width", machine_bound, std::move(widths), true},
           {"tile_rows", machine_bound, {16, 32, 64, 128, 256, 1024}, true},
           {"tile_columns", machine_bound, {16, 32, 64, 128, 256, 1024}, true},
           {"along_output", algorithmic, {0, 1}, true},
           {"prefetch", machine_bound, {0, 1}, true},
           {"streaming_stores", machine_bound, {0, 1}, true}},
          {},
          {}};
}

/// What generate() accepts: the union over all machines, because it is not told the target.
const space_table& any_machine() {
  static const space_table table = table_of({4, 8, 16});
  return table;
}

space_table table_for(vector_machine machine) {
  const double widest = machine.lanes;
  auto table = table_of(machine.lanes > 4 ? std::vector<double>{widest / 2, widest} : std::vector<double>{widest});
  // For what fits the caches, and for what does not: whole cache lines in the order of the output.
  table.starting_points = {{widest, 64, 64, 1, 0, 0}, {widest, 256, 64, 1, 1, 1}, {widest, 1024, 16, 1, 0, 1}};
  return table;
}

}  // namespace

std::string_view data_movement::name() const { return family_name; }

result<unit> data_movement::accepts(wire::Task::Reader task) const {
  auto refuse = [&](const std::string& what) { return not_of_family(task, family_name, what); };
  if (auto known = expect_attributes(task, family_name, {"order"}); !known) return known.failure();
  auto sizes = task.getSizes();
  auto tensors = task.getTensors();
  const std::string order = attribute_of(task, "order");
  if (order.empty()) return refuse("must have the attribute 'order', the size that says which order of the axes");
  if (sizes.size() < axes_min + 1 || sizes.size() > axes_max + 1 || order != sizes[sizes.size() - 1].cStr())
    return refuse("must have 2 to 8 sizes of axes and then the size that its attribute 'order' names");
  if (tensors.size() != 2 || tensors[0].getRole() != wire::TensorRole::INPUT ||
      tensors[1].getRole() != wire::TensorRole::OUTPUT || tensors[0].getElementType() != wire::ElementType::F32 ||
      tensors[1].getElementType() != wire::ElementType::F32)
    return refuse("must have one f32 input and then one f32 output");
  for (auto tensor : tensors) {
    auto extents = tensor.getExtents();
    bool all = extents.size() == sizes.size() - 1;
    for (unsigned e = 0; all && e < extents.size(); ++e) all = extents[e] == sizes[e];
    if (!all) return refuse("must have tensors whose extents are all sizes but the last, in their order");
  }
  return unit{};
}

parameter_space data_movement::space(wire::Task::Reader, wire::TargetRecord::Reader target) const {
  return build_space(table_for(vector_machine_of(target)));
}

result<generated_source> data_movement::generate(wire::Task::Reader task,
                                                 capnp::List<wire::Parameter>::Reader parameters) const {
  if (auto accepted = accepts(task); !accepted) return accepted.failure();
  auto read = read_point(any_machine(), parameters);
  if (!read) return read.failure();
  const auto& point = *read;
  return generated_source{
      heading(any_machine(), point) + data_movement_text({.axes = task.getSizes().size() - 1,
                                                          .lanes = point[vector_width],
                                                          .tile_rows = point[tile_rows],
                                                          .tile_columns = point[tile_columns],
                                                          .along_output = point[along_output] != 0,
                                                          .prefetch = point[prefetch] != 0,
                                                          .streaming = point[streaming_stores] != 0}),
      {}};
}

}  // namespace kope
