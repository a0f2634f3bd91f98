// Names of system calls for messages: those that a candidate may be caught at. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>

namespace kope {

/// "fork", or "system call 123".
std::string syscall_name(uint32_t number);

}  // namespace kope
