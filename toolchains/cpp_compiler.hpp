// C++ to a shared object with one call of a gcc-like driver, in a scratch directory of its own. Implements the contract
// compiler.hpp for every description whose compiler takes gcc's command line.
#pragma once

#include <memory>
#include <string>

#include "messages/result.hpp"
#include "toolchains/compiler.hpp"
#include "toolchains/cpp_compiler_options.hpp"
#include "toolchains/process.hpp"

namespace kope {

/// Blocks for the tool's version report (start-up, doctor). `scratch` is created if it is not there. The host must
/// outlive the compiler. errc::tool_missing names the program and the package that brings it.
result<std::unique_ptr<compiler>> make_cpp_compiler(process_host& host, cpp_compiler_options options,
                                                    std::string scratch);

/// Whether `flag` may come from a candidate: it matches an entry of the list exactly, or the part before a final *.
bool flag_allowed(const std::vector<std::string>& allowed, const std::string& flag);

}  // namespace kope
