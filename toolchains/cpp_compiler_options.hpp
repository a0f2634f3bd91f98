// What a description of a C++ toolchain (config/toolchains/*.toml) says. Keys of the file are the names of the fields.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "toolchains/sandbox.hpp"

namespace kope {

struct cpp_compiler_options {
  std::string name = "cpp-gcc";
  std::string language = "c++20";
  std::string program = "g++";  ///< absolute, or looked up in PATH
  std::string package = "g++";  ///< Debian package to name when the program is missing
  std::string version_flag = "--version";
  std::vector<std::string> base_flags;          ///< every candidate
  std::vector<std::string> baseline_flags;      ///< the reference, instead of base_flags
  std::vector<std::string> c_flags;             ///< a source in C: instead of -std=; empty: it cannot compile C
  std::vector<std::string> allowed_flags;       ///< a candidate's own flags: exact, or a prefix when it ends in *
  uint32_t wall_seconds = 10;                   ///< a kernel compiles in 0.1 to 2 s; a bomb must not hold a slot longer
  uint32_t cpu_seconds = 8;                     ///< below wall_seconds, so that a busy machine is not taken for a bomb
  uint32_t memory_mebibytes = 2048;             ///< address space: a constexpr or macro bomb reaches it in about 7 s
  uint32_t artifact_mebibytes = 8;              ///< largest file: half of a parcel; kernels are tens of KiB
  sandbox_level weakest = sandbox_level::lite;  ///< below it no candidate is compiled; lower in tests alone
  uint32_t diagnostics_kibibytes = 64;  ///< one error of nested templates is 200 KiB; nobody reads past the first
  uint32_t kept_diagnostics_kibibytes =
      1024;  ///< of those that are longer, in a file: clang wrote 18 MB about one source
};

}  // namespace kope
