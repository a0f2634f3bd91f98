// Text of functions over vectors that kernels call: e to the power of x, tanh and erf, without branches and tables.
// Largest relative errors in f32, found by comparing with double over all of their ranges (vector_functions_test.cpp):
// exp 1.2e-7, tanh 4e-7, erf 4e-7. Infinities, NaN and denormal results are as C has them. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>

namespace kope {

struct vector_functions {
  bool number = false, exp = false, tanh = false, erf = false;
};

/// Needs `vec` (kernel_text.hpp's vector_type) before it. Defines what is asked for: number(float), and
/// exp_of(vec), tanh_of(vec), erf_of(vec).
std::string vector_functions_text(int64_t lanes, vector_functions wanted);

}  // namespace kope
