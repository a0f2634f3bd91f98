// Has a compiler read a user's C file: what functions there are, and their text after the preprocessor. The file is
// handled like a candidate's source, in a sandbox with limits. Blocking: the main thread (`kope run FILE`, `kope task
// new`).
#pragma once

#include <string>
#include <vector>

#include "messages/result.hpp"
#include "toolchains/c_functions.hpp"
#include "toolchains/process.hpp"

namespace kope {

struct c_source {
  std::vector<c_function> functions;  ///< of the file itself, main among them
  std::string preprocessed;           ///< headers of the system included
};

/// `text`: the file with its own headers inlined; a message about it calls it `name`. `scratch`: a directory for
/// compiles. errc::invalid_input: it does not compile, with the compiler's first words; errc::tool_missing names the
/// package that is missing.
result<c_source> read_c_source(process_host& host, const std::string& scratch, const std::string& name,
                               const std::string& text);

}  // namespace kope
