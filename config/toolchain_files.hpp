// Descriptions of toolchains: config/toolchains/NAME.toml. Strict as every TOML here. Any thread; runs no compiler.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "messages/result.hpp"
#include "toolchains/cpp_compiler_options.hpp"

namespace kope {

/// The description `name` of the folder `directory` (config/toolchains of the share directory). errc::not_found names
/// the nearest one there is; errc::invalid_input is one sentence with file and line. A file is called like its `name`.
result<cpp_compiler_options> load_toolchain(const std::filesystem::path& directory, std::string_view name);

/// Names of the descriptions, in order.
result<std::vector<std::string>> toolchain_names(const std::filesystem::path& directory);

}  // namespace kope
