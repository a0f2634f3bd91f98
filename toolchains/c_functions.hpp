// What a compiler found in a user's C file: its functions with their types resolved through typedefs, macros and
// headers. Values; made by debug_info.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kope {

enum class c_kind : uint8_t { nothing, whole, floating, pointer, array, structure, other };

struct c_field;

struct c_type {
  c_kind kind = c_kind::nothing;
  uint32_t bytes = 0;
  bool is_signed = true;
  bool constant = false;          ///< declared const at this level
  bool restricted = false;        ///< a pointer with restrict
  std::string name;               ///< as it can be written: "int", "real_t", "struct params"; empty when it has none
  std::vector<uint64_t> lengths;  ///< of an array, outermost first; 0: not a constant
  std::shared_ptr<const c_type> target;  ///< what a pointer points to, what an array holds; null: void
  std::vector<c_field> fields;           ///< of a structure
};

struct c_field {
  std::string name;
  c_type type;
};

struct c_function {
  std::string name;
  c_type returns;
  std::vector<c_field> parameters;
  bool external = false;  ///< not static
  bool variadic = false;
};

}  // namespace kope
