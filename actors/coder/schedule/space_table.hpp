// A family's ranges, limits and starting points as a table, from which the space message is built and against which a
// plan's parameters are read. Pure, any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "actors/coder/schedule/family.hpp"

namespace kope {

struct range_row {
  const char* meaning;
  wire::ParameterClass kind;
  std::vector<double> values;  ///< ascending
  bool ordered;
};

struct limit_row {
  std::vector<const char*> meanings;
  double limit;
};

struct space_table {
  const char* family;
  std::vector<range_row> ranges;
  std::vector<limit_row> limits;
  std::vector<std::vector<double>> starting_points;  ///< values in the order of the ranges
};

parameter_space build_space(const space_table& table);

/// The values in the order of the table's ranges. errc::invalid_input names the parameter that is missing, given twice,
/// unknown or out of range, or the limit that the point breaks.
result<std::vector<int64_t>> read_point(const space_table& table, capnp::List<wire::Parameter>::Reader parameters);

/// What a target's vector extensions allow a family to use.
struct vector_machine {
  int lanes;      ///< f32 in a register
  int registers;  ///< vector registers that an instruction can name
};
vector_machine vector_machine_of(wire::TargetRecord::Reader target);

}  // namespace kope
