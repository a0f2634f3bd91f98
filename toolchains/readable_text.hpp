// What a child printed, made fit for messages, JSON and terminals. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace kope {

/// Valid UTF-8 of at most `bytes_max`: invalid bytes become U+FFFD; terminal escapes, NUL and other control characters
/// but tab and new line are left out.
std::string readable_text(std::string_view raw, size_t bytes_max);

}  // namespace kope
