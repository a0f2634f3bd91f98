// Name -> factory: the one file pair that knows concrete things. Adding a policy or a toolchain is one line here.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/planner/policy.hpp"
#include "messages/result.hpp"
#include "toolchains/compiler.hpp"
#include "toolchains/cpp_compiler_options.hpp"
#include "toolchains/process.hpp"
#include "toolchains/host_runner_options.hpp"
#include "toolchains/runner.hpp"

namespace kope {

/// errc::not_found names the policies there are.
result<std::unique_ptr<policy>> make_policy(std::string_view name, parameter_space space);
std::vector<std::string> policy_names();

/// `scratch`: a directory for compiles. Blocks for the compiler's version report.
result<std::unique_ptr<compiler>> make_compiler(process_host& host, const cpp_compiler_options& description,
                                                const std::string& scratch);
/// The program is the one beside this one, whatever `options` says.
result<std::unique_ptr<runner>> make_runner(process_host& host, host_runner_options options = {});

}  // namespace kope
