// Family "row_normalisation": y[rows,n] = softmax of each row of x[rows,n], f32: exponentials of the differences from
// the row's maximum, divided by their sum. Three sweeps over a row, which may share a loop with those of other rows.
#pragma once

#include "actors/coder/schedule/family.hpp"

namespace kope {

class row_normalisation final : public family {
public:
  std::string_view name() const override;
  result<unit> accepts(wire::Task::Reader task) const override;
  parameter_space space(wire::Task::Reader task, wire::TargetRecord::Reader target) const override;
  result<generated_source> generate(wire::Task::Reader task,
                                    capnp::List<wire::Parameter>::Reader parameters) const override;
};

}  // namespace kope
