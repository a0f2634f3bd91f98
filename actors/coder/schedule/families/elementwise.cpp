#include "actors/coder/schedule/families/elementwise.hpp"

#include <algorithm>
#include <string>

#include "actors/coder/schedule/families/elementwise_text.hpp"
#include "actors/coder/schedule/kernel_text.hpp"
#include "actors/coder/schedule/space_table.hpp"

namespace kope {
namespace {

constexpr const char* family_name = "elementwise";  // as task files call it

// Each doubles the number of loops, of which there is one for each set of inputs that repeat along a row.
constexpr size_t inputs_max = 4;

enum place { vector_width, vectors_together, prefetch_bytes, streaming_stores };

space_table table_of(std::vector<double> widths) {
  const auto algorithmic = wire::ParameterClass::ALGORITHMIC, machine_bound = wire::ParameterClass::MACHINE_BOUND;
  return {family_name,
          {{"vector_width", machine_bound, std::move(widths), true},
           {"vectors_together", machine_bound, {1, 2, 4, 8}, true},
           {"prefetch_bytes", machine_bound, {0, 512, 1024, 2048, 4096}, true},
           {"streaming_stores", algorithmic, {0, 1}, true}},
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
  // For outputs that stay in a cache, and for those that do not.
  table.starting_points = {{widest, 4, 0, 0}, {widest, 4, 1024, 1}};
  return table;
}

result<elementwise_operator> operator_of(wire::Task::Reader task) {
  auto refuse = [&](const std::string& what) { return not_of_family(task, family_name, what); };
  if (auto known = expect_attributes(task, family_name, {"formula"}); !known) return known.failure();
  elementwise_operator of;
  for (auto size : task.getSizes()) of.sizes.push_back(size);
  for (auto tensor : task.getTensors()) {
    if (tensor.getElementType() != wire::ElementType::F32) return refuse("must have tensors of f32 alone");
    const bool is_output = tensor.getRole() == wire::TensorRole::OUTPUT;
    of.output_at.push_back(is_output);
    if (!is_output) {
      of.inputs.push_back(tensor.getName());
      continue;
    }
    if (!of.output.empty()) return refuse("must have one output");
    of.output = tensor.getName();
    for (auto extent : tensor.getExtents()) {
      const std::string name = extent;
      if (std::find(of.sizes.begin(), of.sizes.end(), name) == of.sizes.end() ||
          std::find(of.extents.begin(), of.extents.end(), name) != of.extents.end())
        return refuse("must have an output whose extents are sizes, each once");
      of.extents.push_back(name);
    }
  }
  if (of.output.empty() || of.inputs.empty() || of.inputs.size() > inputs_max)
    return refuse("must have one output and 1 to " + std::to_string(inputs_max) + " inputs");
  for (auto tensor : task.getTensors()) {
    if (tensor.getRole() == wire::TensorRole::OUTPUT) continue;
    std::vector<bool> has(of.extents.size());
    size_t axis = 0;
    for (auto extent : tensor.getExtents()) {
      while (axis < of.extents.size() && of.extents[axis] != extent.cStr()) ++axis;
      if (axis == of.extents.size())
        return refuse(std::string("must have the extents of '") + tensor.getName().cStr() +
                      "' among the output's and in their order");
      has[axis++] = true;
    }
    of.has_axis.push_back(std::move(has));
  }
  const std::string formula = attribute_of(task, "formula");
  if (formula.empty())
    return refuse("must have the attribute 'formula', an element of the output from those of inputs");
  auto translated = translate_formula(formula, of.inputs);
  if (!translated) return refuse("cannot be: " + translated.failure().what);
  of.formula = std::move(*translated);
  return of;
}

}  // namespace

std::string_view elementwise::name() const { return family_name; }

result<unit> elementwise::accepts(wire::Task::Reader task) const {
  auto of = operator_of(task);
  if (!of) return of.failure();
  return unit{};
}

parameter_space elementwise::space(wire::Task::Reader, wire::TargetRecord::Reader target) const {
  return build_space(table_for(vector_machine_of(target)));
}

result<generated_source> elementwise::generate(wire::Task::Reader task,
                                               capnp::List<wire::Parameter>::Reader parameters) const {
  auto of = operator_of(task);
  if (!of) return of.failure();
  auto read = read_point(any_machine(), parameters);
  if (!read) return read.failure();
  const auto& point = *read;
  return generated_source{
      heading(any_machine(), point) + elementwise_text(*of, {.lanes = point[vector_width],
                                                             .vectors_together = point[vectors_together],
                                                             .prefetch_bytes = point[prefetch_bytes],
                                                             .streaming = point[streaming_stores] != 0}),
      {}};
}

}  // namespace kope
