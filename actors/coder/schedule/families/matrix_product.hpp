// Family "matrix_product": c[m,n] = a[m,k] * b[k,n], f32, row major. Blocks in registers and in the caches, with b
// packed into panels as wide as the register block (the loop order that GotoBLAS made known).
#pragma once

#include "actors/coder/schedule/family.hpp"

namespace kope {

class matrix_product final : public family {
public:
  std::string_view name() const override;
  result<unit> accepts(wire::Task::Reader task) const override;
  parameter_space space(wire::Task::Reader task, wire::TargetRecord::Reader target) const override;
  result<generated_source> generate(wire::Task::Reader task,
                                    capnp::List<wire::Parameter>::Reader parameters) const override;
};

}  // namespace kope
