#include "actors/coder/flags/loop_pragmas.hpp"

#include "actors/coder/flags/c_tokens.hpp"

namespace kope {
namespace {

/// One past the statement that begins at `at`: a block, or up to its semicolon.
size_t statement_end(const std::vector<c_token>& tokens, size_t at) {
  if (at < tokens.size() && tokens[at].text == "{") return closing(tokens, at);
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    auto t = tokens[at].text;
    if (t == "(" || t == "[" || t == "{") ++depth;
    if (t == ")" || t == "]" || t == "}") --depth;
    if (depth < 0 || (depth == 0 && (t == ";" || t == "}"))) return at;
  }
  return at;
}

}  // namespace

std::string with_loop_pragmas(std::string_view text, std::string_view lines) {
  auto tokens = split_c(text);
  std::string out;
  size_t copied = 0;
  for (size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (tokens[at].kind != token_kind::word || tokens[at].text != "for" || tokens[at + 1].text != "(") continue;
    auto close = closing(tokens, at + 1);
    auto end = statement_end(tokens, close + 1);
    bool innermost = close < tokens.size();
    for (size_t i = close + 1; i < end && i < tokens.size(); ++i)
      if (tokens[i].text == "for" || tokens[i].text == "while" || tokens[i].text == "do") innermost = false;
    if (!innermost) continue;
    out += text.substr(copied, tokens[at].place - copied);
    out += '\n';
    out += lines;
    copied = tokens[at].place;
  }
  out += text.substr(copied);
  return out;
}

}  // namespace kope
