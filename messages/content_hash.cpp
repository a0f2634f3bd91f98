#include "messages/content_hash.hpp"

#include <openssl/sha.h>

#include <cstdint>

namespace kope {
namespace {

std::string hex(const unsigned char (&digest)[SHA256_DIGEST_LENGTH]) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * SHA256_DIGEST_LENGTH);
  for (unsigned char byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  return hex(digest);
}

std::string content_hash_of(std::span<const std::string_view> fields) {
  std::string joined;
  for (auto field : fields) {
    uint64_t size = field.size();
    for (int byte = 0; byte < 8; ++byte) joined += static_cast<char>(size >> (8 * byte) & 255);
    joined.append(field);
  }
  return content_hash(joined);
}

}  // namespace kope
