// Family "batched_matmul": c[i] = a[i] * b[i] for a batch of small products, f32, row major. The blocks of
// matrix_product around which a loop runs; a panel of b that few rows meet is used where it lies.
#pragma once

#include "actors/coder/schedule/family.hpp"

namespace kope {

class batched_product final : public family {
public:
  std::string_view name() const override;
  result<unit> accepts(wire::Task::Reader task) const override;
  parameter_space space(wire::Task::Reader task, wire::TargetRecord::Reader target) const override;
  result<generated_source> generate(wire::Task::Reader task,
                                    capnp::List<wire::Parameter>::Reader parameters) const override;
};

}  // namespace kope
