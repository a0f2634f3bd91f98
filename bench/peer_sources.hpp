// The peers' sources, one an operator and library: candidates in form, but linked with the library. Pure data.
#pragma once

#include <span>
#include <string_view>

namespace kope::bench {

struct peer_library {
  std::string_view name;
  std::string_view package;  ///< Debian's
  std::string_view link;     ///< flag for the linker; empty: headers alone
  /// Before each source of it. It defines `static const char* about()`: what the library is, as it says it.
  std::string_view head;
};

struct peer_source {
  std::string_view task;
  std::string_view library;
  std::string_view source;
};

std::span<const peer_library> peer_libraries();
std::span<const peer_source> peer_sources();

}  // namespace kope::bench
