// What surrounds a source in C: a user's own file with the adapter that calls his function (daemon/own_kernel/). The
// same three surroundings as in kernel_shim.hpp, which hands on to these for tasks of that language. Pure, any thread.
//
// The oracle of such a task (Task.oracle):
//   widened   `float` is a macro for double, so that his whole file computes in double, and functions of the C library
//             with an f at the end (expf) are macros for those without. Standard headers come before, so that their
//             own declarations stay. What depends on the layout of a float (unions, intrinsics) does not survive that.
//   as given  his function as it is: the expected values carry its own rounding.
#pragma once

#include "actors/evaluation/kernel_shim.hpp"

namespace kope {

std::string c_signature(wire::Task::Reader task);
surrounding c_candidate_surrounding(wire::Task::Reader task);
surrounding c_baseline_surrounding(wire::Task::Reader task);
surrounding c_oracle_surrounding(wire::Task::Reader task);

}  // namespace kope
