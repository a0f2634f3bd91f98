// SHA-256 of content as 64 hex digits: sources, artifacts, keys. Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kope {

std::string content_hash(std::string_view bytes);

/// Hash of several fields that cannot run into each other: every field is preceded by its length.
std::string content_hash_of(std::span<const std::string_view> fields);

}  // namespace kope
