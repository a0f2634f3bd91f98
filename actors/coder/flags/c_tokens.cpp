#include "actors/coder/flags/c_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace kope {
namespace {

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

constexpr std::string_view long_signs[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
                                           "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};

bool is(const c_token& token, std::string_view text) { return token.kind == token_kind::sign && token.text == text; }

}  // namespace

std::vector<c_token> split_c(std::string_view text) {
  std::vector<c_token> tokens;
  bool line_begins = true;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    size_t end = at + 1;
    if (c == '\n') {
      line_begins = true;
      ++at;
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++at;
      continue;
    }
    if (c == '#' && line_begins) {  // a directive, with its continued lines
      while (at < text.size() && text[at] != '\n') at += text[at] == '\\' && at + 1 < text.size() ? 2 : 1;
      continue;
    }
    line_begins = false;
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (text.substr(at, 2) == "/*") {
      auto close = text.find("*/", at + 2);
      at = close == text.npos ? text.size() : close + 2;
      continue;
    }
    auto kind = token_kind::sign;
    if (begins_word(c)) {
      kind = token_kind::word;
      while (end < text.size() && in_word(text[end])) ++end;
    } else if (std::isdigit(static_cast<unsigned char>(c)) ||
               (c == '.' && end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])))) {
      kind = token_kind::number;
      while (end < text.size() && (in_word(text[end]) || text[end] == '.' ||
                                   ((text[end] == '+' || text[end] == '-') &&
                                    (text[end - 1] == 'e' || text[end - 1] == 'E') && text.substr(at, 2) != "0x")))
        ++end;
    } else if (c == '"' || c == '\'') {
      kind = token_kind::quoted;
      while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else {
      for (auto sign : long_signs)
        if (text.substr(at, sign.size()) == sign) {
          end = at + sign.size();
          break;
        }
    }
    tokens.push_back({kind, text.substr(at, end - at), at});
    at = end;
  }
  return tokens;
}

size_t closing(const std::vector<c_token>& tokens, size_t open) {
  int depth = 0;
  for (size_t at = open; at < tokens.size(); ++at) {
    auto& t = tokens[at];
    if (is(t, "(") || is(t, "[") || is(t, "{")) ++depth;
    if ((is(t, ")") || is(t, "]") || is(t, "}")) && --depth == 0) return at;
  }
  return tokens.size();
}

function_text find_definition(const std::vector<c_token>& tokens, std::string_view name) {
  int braces = 0;
  for (size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (is(tokens[at], "{")) ++braces;
    if (is(tokens[at], "}")) --braces;
    if (braces != 0 || tokens[at].kind != token_kind::word || tokens[at].text != name || !is(tokens[at + 1], "("))
      continue;
    auto close = closing(tokens, at + 1);
    if (close + 1 >= tokens.size() || !is(tokens[close + 1], "{")) continue;
    auto end = closing(tokens, close + 1);
    if (end == tokens.size()) return {};
    function_text found;
    int depth = 0;
    std::vector<c_token> one;
    for (size_t i = at + 2; i < close; ++i) {
      auto& t = tokens[i];
      if (is(t, "(") || is(t, "[")) ++depth;
      if (is(t, ")") || is(t, "]")) --depth;
      if (depth == 0 && is(t, ",")) {
        found.parameters.push_back(std::move(one));
        one.clear();
      } else {
        one.push_back(t);
      }
    }
    bool nothing = one.empty() || (one.size() == 1 && one[0].text == "void");
    if (!nothing) found.parameters.push_back(std::move(one));
    found.body.assign(tokens.begin() + static_cast<ptrdiff_t>(close) + 2, tokens.begin() + static_cast<ptrdiff_t>(end));
    return found;
  }
  return {};
}

}  // namespace kope
