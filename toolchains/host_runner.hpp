// Runs artifacts on this machine's CPU in kope-runner processes. Implements runner.hpp with the protocol of
// docs/RUNNER_PROTOCOL.md.
#pragma once

#include <memory>

#include "toolchains/host_runner_options.hpp"
#include "toolchains/process.hpp"
#include "toolchains/runner.hpp"

namespace kope {

/// The host must outlive the runner and its sessions. That the program is missing shows at open().
std::unique_ptr<runner> make_host_runner(process_host& host, host_runner_options options);

}  // namespace kope
