// The source of kernels that do one thing as fast as a core can: multiply-adds, exponentials, reading, copying. One
// artifact for the runner (docs/RUNNER_PROTOCOL.md) holds all of them; the first size says which. Pure text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "messages/work.capnp.h"

namespace kope {

/// Sizes of a call: which kernel, steps, bytes of the input tensor (of the output tensor too where it copies).
enum class limit_kernel : int64_t {
  f32_multiply_adds,
  f64_multiply_adds,
  f32_mixed,
  f64_mixed,
  i32_adds,
  i64_adds,
  f32_exponentials,
  f64_exponentials,
  read,
  copy,
  streaming_copy,  ///< stores past the caches where the machine can, else as `copy`
};

/// What a step does.
struct limit_kernel_work {
  double per_vector = 0;  ///< operations for each element of a vector; 0: as many evaluations as the kernel says
  size_t element_bytes = 0;
};
/// Of arithmetic and exponentials; of `read` and the copies a step is one pass over the memory.
limit_kernel_work work_of(limit_kernel which);

/// Memory tensors are whole multiples of this.
constexpr size_t limit_kernel_block_bytes = 512;

/// C++ with GCC's vector types, as wide as the compiler's flags allow. What each kernel writes depends on all that it
/// did. All but the copies begin output 0 with two 64-bit numbers: bytes of a vector, and vectors of exponentials that
/// a step evaluates.
std::string_view limit_kernels_source();

}  // namespace kope
