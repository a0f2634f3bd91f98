// From a user's function to a task: which parameters are tensors, which are sizes, how large each tensor is, and the
// adapter that calls the function with what a task's prototype has. Pure.
//
//   int, long, size_t, …      a size
//   float, double             a tensor of one element, an input
//   T*, T[…], T (*)[n]        a tensor: const, or never written: an input; written: an output; read as well: in and out
//   a structure, or a pointer to one   its members, each as above
//   a returned number         an output of one element, `result`
//
// An array that is read and written is two tensors of the task: the input NAME_in, which the adapter copies into the
// output NAME before the call.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "actors/coder/flags/c_tokens.hpp"
#include "messages/result.hpp"
#include "messages/task.capnp.h"
#include "toolchains/c_functions.hpp"

namespace kope {

enum class tensor_use : uint8_t { input, output, in_and_out };

struct planned_tensor {
  std::string name;    ///< of the task: lower case
  std::string source;  ///< in his terms: "A", "q.data"
  wire::ElementType type{};
  tensor_use use{};
  std::vector<std::string> extents;  ///< size names of the task, or numbers
  std::string how_known;             ///< for people: "declared", "seen in a[i * k + p]", "given by --extent"
  std::string note;                  ///< for people: why it is in and out; may be empty
};

struct planned_size {
  std::string name;
  std::string source;
  bool in_extents = false;
};

struct plan_wishes {
  std::map<std::string, std::string> extents;  ///< --extent, by his name
  std::vector<std::string> in_and_out;         ///< outputs that a trial has found to be written in part
};

struct kernel_plan {
  std::vector<planned_tensor> tensors;
  std::vector<planned_size> sizes;
  wire::ElementType type{};
  std::string adapter;                       ///< C text that defines `kernel`
  std::vector<std::string> unknown_extents;  ///< his names: nothing else of the plan is usable while there are any
};

/// errc::invalid_input names the parameter that cannot be a tensor or a size, or an extent that makes no sense.
result<kernel_plan> plan_kernel(const c_function& function, const std::vector<c_token>& tokens,
                                const plan_wishes& wishes);

/// The function to optimise: the named one, or, without a name, the only one that takes an array and is not called by
/// another. errc::not_found lists those there are.
result<c_function> choose_function(const std::vector<c_function>& functions, const std::vector<c_token>& tokens,
                                   const std::string& name, const std::string& file);

}  // namespace kope
