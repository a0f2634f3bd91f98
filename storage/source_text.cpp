#include "storage/source_text.hpp"

#include <zstd.h>

namespace kope {
namespace {

// zstd's own default: sources are a few KiB, higher levels gain little on them and cost the committing thread time.
constexpr int compression_level = 3;

error bad(std::string why) { return {errc::invalid_input, "compressed source cannot be read: " + std::move(why)}; }

}  // namespace

result<std::string> compress_source(std::string_view text) {
  if (text.size() > source_bytes_max)
    return error{errc::invalid_input, "a source of " + std::to_string(text.size()) + " bytes is larger than 16 MiB"};
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  size_t size = ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), compression_level);
  if (ZSTD_isError(size))
    return error{errc::internal, std::string("zstd could not compress a source: ") + ZSTD_getErrorName(size)};
  frame.resize(size);
  return frame;
}

result<std::string> decompress_source(std::string_view frame) {
  unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return bad("not a zstd frame with its size");
  if (size > source_bytes_max) return bad("it claims more than 16 MiB");
  std::string text(static_cast<size_t>(size), '\0');
  size_t got = ZSTD_decompress(text.data(), text.size(), frame.data(), frame.size());
  if (ZSTD_isError(got)) return bad(ZSTD_getErrorName(got));
  if (got != text.size()) return bad("it holds less than it states");
  return text;
}

}  // namespace kope
