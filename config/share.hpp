// Where the files that ship with the program are: tasks/ and config/. Any thread.
#pragma once

#include <filesystem>

#include "messages/result.hpp"

namespace kope {

/// The first of: $KOPE_SHARE; share/kope beside the program's bin/ (installed); the source folder that this was built
/// from. A folder counts when it holds tasks/ and config/. errc::not_found names what was looked at; a KOPE_SHARE that
/// is set and wrong is an error, never skipped.
result<std::filesystem::path> share_directory();

}  // namespace kope
