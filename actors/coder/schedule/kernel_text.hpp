// Pieces that the text of every family's kernels is made of. Pure, any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/coder/schedule/space_table.hpp"

namespace kope {

/// `text` with every $name$ replaced by its value, in one pass. A name without a value is a broken invariant.
std::string filled(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values);

/// First comment of a source: the family and its parameters.
std::string heading(const space_table& table, const std::vector<int64_t>& point);

/// What is `vec`: floats side by side at any alignment.
std::string vector_type(int64_t lanes);

struct tensor_shape {
  wire::TensorRole role;
  std::vector<unsigned> extents;  ///< each the place of a symbol in Task.sizes
};

/// True when the task has exactly these f32 tensors and `sizes` size symbols, whatever their names.
bool has_prototype(wire::Task::Reader task, unsigned sizes, const std::vector<tensor_shape>& tensors);

}  // namespace kope
