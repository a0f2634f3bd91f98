// What an element type means in memory and in C++. Pure, any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "messages/task.capnp.h"

namespace kope {

constexpr size_t element_bytes(wire::ElementType type) {
  switch (type) {
    case wire::ElementType::F32:
    case wire::ElementType::I32:
      return 4;
    case wire::ElementType::F64:
    case wire::ElementType::I64:
      return 8;
  }
  return 8;  // a type that a newer writer added: config/ refuses such a task before it comes here
}

constexpr std::string_view element_cxx(wire::ElementType type) {
  switch (type) {
    case wire::ElementType::F32:
      return "float";
    case wire::ElementType::F64:
      return "double";
    case wire::ElementType::I32:
      return "int32_t";
    case wire::ElementType::I64:
      return "int64_t";
  }
  return "double";
}

constexpr bool is_floating(wire::ElementType type) {
  return type == wire::ElementType::F32 || type == wire::ElementType::F64;
}

/// Half the distance between 1 and the next number: the largest relative error of one correct rounding.
constexpr double unit_roundoff(wire::ElementType type) {
  switch (type) {
    case wire::ElementType::F32:
      return 0x1p-24;
    case wire::ElementType::F64:
      return 0x1p-53;
    default:
      return 0;
  }
}

}  // namespace kope
