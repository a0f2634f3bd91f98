// Family "row_reduction": y[outer,inner] = the sum of x[outer,n,inner] over n, f32. Contiguous rows are summed in
// registers over several streams; strided ones are added elementwise into a short row.
#pragma once

#include "actors/coder/schedule/family.hpp"

namespace kope {

class row_reduction final : public family {
public:
  std::string_view name() const override;
  result<unit> accepts(wire::Task::Reader task) const override;
  parameter_space space(wire::Task::Reader task, wire::TargetRecord::Reader target) const override;
  result<generated_source> generate(wire::Task::Reader task,
                                    capnp::List<wire::Parameter>::Reader parameters) const override;
};

}  // namespace kope
