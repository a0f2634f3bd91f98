// Words and signs of a C text whose comments and directives the preprocessor has taken away. Pure; any text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kope {

enum class token_kind : uint8_t { word, number, sign, quoted };

struct c_token {
  token_kind kind;
  std::string_view text;  ///< of the text that was split, which outlives it
  size_t place = 0;       ///< of its first character there
};

/// Comments and lines that begin with # are left out, so that a text which was not preprocessed gives tokens as well.
std::vector<c_token> split_c(std::string_view text);

/// The place of the bracket that closes the one at `open`; tokens.size() when nothing does.
size_t closing(const std::vector<c_token>& tokens, size_t open);

struct function_text {
  std::vector<std::vector<c_token>> parameters;
  std::vector<c_token> body;  ///< without its outer braces
};

/// The definition of this function; empty when there is none. void has no parameters.
function_text find_definition(const std::vector<c_token>& tokens, std::string_view name);

}  // namespace kope
