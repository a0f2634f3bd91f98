// Family "data_movement": y is x with its axes in another order, f32, row major. The last size of the prototype says
// which order: its number among all orders of the axes, lexicographically, from 1. The task's attribute `order` names
// that size.
#pragma once

#include "actors/coder/schedule/family.hpp"

namespace kope {

class data_movement final : public family {
public:
  std::string_view name() const override;
  result<unit> accepts(wire::Task::Reader task) const override;
  parameter_space space(wire::Task::Reader task, wire::TargetRecord::Reader target) const override;
  result<generated_source> generate(wire::Task::Reader task,
                                    capnp::List<wire::Parameter>::Reader parameters) const override;
};

}  // namespace kope
