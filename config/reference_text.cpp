#include "config/reference_text.hpp"

#include <cctype>
#include <vector>

namespace kope {
namespace {

constexpr std::string_view opening_in_cpp = "extern \"C\" void kernel(";
constexpr std::string_view opening_in_c = "void kernel(";

error wrong(std::string what) { return {errc::invalid_input, std::move(what)}; }

// White space runs become one space; none around punctuation.
std::string squeezed(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool space = std::isspace(static_cast<unsigned char>(c));
    if (space && (out.empty() || out.back() == ' ' || out.back() == '(' || out.back() == ',' || out.back() == '*'))
      continue;
    if (!space && (c == '(' || c == ',' || c == ')' || c == '*') && !out.empty() && out.back() == ' ') out.pop_back();
    out += space ? ' ' : c;
  }
  return out;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts(1);
  for (char c : list) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string last_word(const std::string& declaration) {
  size_t end = declaration.find_last_not_of(' ');
  if (end == std::string::npos) return {};
  size_t begin = end + 1;
  while (begin > 0 &&
         (std::isalnum(static_cast<unsigned char>(declaration[begin - 1])) || declaration[begin - 1] == '_'))
    --begin;
  return declaration.substr(begin, end + 1 - begin);
}

}  // namespace

std::string without_comments(std::string_view text) {
  std::string out(text);
  enum { code, line, block, quoted, character } state = code;
  for (size_t i = 0; i < out.size(); ++i) {
    char c = out[i], next = i + 1 < out.size() ? out[i + 1] : '\0';
    if (state == code) {
      if (c == '/' && next == '/')
        state = line;
      else if (c == '/' && next == '*')
        state = block, out[i++] = ' ';
      else if (c == '"')
        state = quoted;
      else if (c == '\'')
        state = character;
    } else if (state == line && c == '\n') {
      state = code;
    } else if (state == block && c == '*' && next == '/') {
      out[i++] = ' ';
      state = code;
      out[i] = ' ';
      continue;
    } else if ((state == quoted || state == character) && c == '\\') {
      ++i;
    } else if ((state == quoted && (c == '"' || c == '\n')) || (state == character && (c == '\'' || c == '\n'))) {
      state = code;
    }
    if ((state == line || state == block) && i < out.size() && out[i] != '\n') out[i] = ' ';
  }
  return out;
}

result<unit> check_reference_text(std::string_view text, std::span<const expected_parameter> wanted, bool in_c) {
  if (text.find('\0') != std::string_view::npos) return wrong("the reference holds a NUL character");
  auto code = squeezed(without_comments(text));
  auto opening = in_c ? opening_in_c : opening_in_cpp;
  auto begin = in_c ? code.rfind(opening) : code.find(opening);
  if (in_c && begin == std::string::npos) return wrong("the reference must define void kernel(...) at its end");
  if (begin == std::string::npos || (!in_c && code.find(opening, begin + 1) != std::string::npos))
    return wrong("the reference must define extern \"C\" void kernel(...) exactly once");
  begin += opening.size();
  auto end = code.find(')', begin);
  if (end == std::string::npos) return wrong("the parameters of kernel have no closing bracket");
  auto parameters = split(std::string_view(code).substr(begin, end - begin));
  if (parameters.size() != wanted.size())
    return wrong("kernel has " + std::to_string(parameters.size()) + " parameters where the task file has " +
                 std::to_string(wanted.size()) + " tensors and sizes");
  for (size_t i = 0; i < wanted.size(); ++i) {
    auto where = "parameter " + std::to_string(i + 1) + " of kernel ";
    auto& declaration = parameters[i];
    if (last_word(declaration) != wanted[i].name)
      return wrong(where + "is '" + declaration.substr(0, 80) + "' where the task file has '" + wanted[i].name + "'");
    bool pointer = declaration.find('*') != std::string::npos;
    if (pointer != wanted[i].pointer)
      return wrong(where + "('" + wanted[i].name + "') must " +
                   (wanted[i].pointer ? "be a pointer, it is a tensor" : "be an int64_t, it is a size"));
    bool constant = declaration.find("const ") != std::string::npos;
    if (wanted[i].pointer && constant != wanted[i].constant)
      return wrong(where + "('" + wanted[i].name + "') must " +
                   (wanted[i].constant ? "point to const, it is an input" : "not point to const, it is an output"));
    if (!wanted[i].pointer && declaration.find("int64_t") == std::string::npos)
      return wrong(where + "('" + wanted[i].name + "') must be an int64_t, it is a size");
  }
  return unit{};
}

}  // namespace kope
