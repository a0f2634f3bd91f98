// Sources as the graph keeps them: one zstd frame that states its content size. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

#include "messages/result.hpp"

namespace kope {

/// A source arrives in a parcel, so none is larger than a parcel may be; a frame that claims more is not ours.
constexpr size_t source_bytes_max = size_t{16} << 20;

/// errc::invalid_input when `text` is larger than source_bytes_max.
result<std::string> compress_source(std::string_view text);

/// errc::invalid_input when the bytes are not one whole frame of at most source_bytes_max.
result<std::string> decompress_source(std::string_view frame);

}  // namespace kope
