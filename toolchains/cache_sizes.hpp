// Bytes of the data caches of a CPU, by level. Reads files of the kernel and asks the processor; any thread.
#pragma once

#include <array>
#include <cstdint>

namespace kope {

/// Of levels 1, 2 and 3; 0 where neither the kernel nor the processor says. A virtual machine may hide all of them from
/// the kernel and still let the processor answer.
std::array<uint32_t, 3> data_cache_bytes();

}  // namespace kope
