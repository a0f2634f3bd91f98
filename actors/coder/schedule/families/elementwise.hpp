// Family "elementwise": an output whose elements are one formula of the inputs' elements, f32, row major. The task's
// attribute `formula` has it, e.g. "x / (1 + exp(-x))" (elementwise_formula.hpp). An input's extents are the output's
// with some left out: along those it repeats, which is broadcasting.
#pragma once

#include "actors/coder/schedule/family.hpp"

namespace kope {

class elementwise final : public family {
public:
  std::string_view name() const override;
  result<unit> accepts(wire::Task::Reader task) const override;
  parameter_space space(wire::Task::Reader task, wire::TargetRecord::Reader target) const override;
  result<generated_source> generate(wire::Task::Reader task,
                                    capnp::List<wire::Parameter>::Reader parameters) const override;
};

}  // namespace kope
