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

/// The macro that is defined where the compiler has registers of so many floats; code with builtins stands behind it.
const char* vectors_macro(int64_t lanes);
/// Lines of a function put<bool streams>(float* to, vec v): where `streams` is true, v goes past the caches, to an
/// address that is a multiple of its size. Both compilers know how, each in its words. Only code behind vectors_macro
/// may ask.
std::string streaming_store(int64_t lanes);

struct tensor_shape {
  wire::TensorRole role;
  std::vector<unsigned> extents;  ///< each the place of a symbol in Task.sizes
};

/// errc::invalid_input unless the task has exactly these f32 tensors and `sizes` size symbols, whatever their names,
/// and no attribute beside those named; `wanted` says it for people.
result<unit> expect_prototype(wire::Task::Reader task, const char* family, unsigned sizes,
                              const std::vector<tensor_shape>& tensors, std::string_view wanted,
                              std::initializer_list<std::string_view> attributes = {});

/// errc::invalid_input when the task has an attribute that is not among `known`.
result<unit> expect_attributes(wire::Task::Reader task, const char* family,
                               std::initializer_list<std::string_view> known);
/// Empty when the task has no attribute of this name.
std::string attribute_of(wire::Task::Reader task, std::string_view name);
/// "family x: task 'y' <what>".
error not_of_family(wire::Task::Reader task, const char* family, const std::string& what);

}  // namespace kope
