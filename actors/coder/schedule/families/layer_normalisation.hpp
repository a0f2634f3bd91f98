// Family "layer_normalisation": y[r, i] = (x[r, i] - mean of row r) / sqrt(variance of row r + epsilon) * weight[i] +
// bias[i], f32, row major. The task's attribute `epsilon` has the number. Beside "row_normalisation", because a
// softmax's parameters mean other things.
#pragma once

#include "actors/coder/schedule/family.hpp"

namespace kope {

class layer_normalisation final : public family {
public:
  std::string_view name() const override;
  result<unit> accepts(wire::Task::Reader task) const override;
  parameter_space space(wire::Task::Reader task, wire::TargetRecord::Reader target) const override;
  result<generated_source> generate(wire::Task::Reader task,
                                    capnp::List<wire::Parameter>::Reader parameters) const override;
};

}  // namespace kope
