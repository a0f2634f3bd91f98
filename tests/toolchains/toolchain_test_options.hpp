// The options that toolchain tests use: those of config/toolchains/cpp-gcc.toml in short, and the built runner.
#pragma once

#include "toolchains/cpp_compiler_options.hpp"
#include "toolchains/host_runner_options.hpp"

namespace kope {

inline cpp_compiler_options gcc_options() {
  cpp_compiler_options options;
  options.base_flags = {"-std=c++20",
                        "-O3",
                        "-march=native",
                        "-ffp-contract=fast",
                        "-shared",
                        "-fPIC",
                        "-nostartfiles",
                        "-fvisibility=hidden",
                        "-w",
                        "-frandom-seed=kope",
                        "-fmax-errors=5",
                        "-Wl,-z,now,-z,noexecstack,-z,defs",
                        "-Wl,--build-id=none"};
  options.baseline_flags = {"-std=c++20", "-O1", "-shared", "-fPIC", "-nostartfiles"};
  options.allowed_flags = {"-O2", "-funroll-loops", "-mprefer-vector-width=*"};
  return options;
}

inline host_runner_options runner_options() {
  host_runner_options options;
  options.program = KOPE_RUNNER_PROGRAM;
  return options;
}

}  // namespace kope
