#include "daemon/own_kernel/build_flags.hpp"

#include <algorithm>

#include "toolchains/cpp_compiler.hpp"

namespace kope {
namespace {

result<std::vector<std::string>> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (char c : text) {
    if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote) return error{errc::invalid_input, "--flags: a quote in '" + text.substr(0, 80) + "' has no end"};
  if (in_word) words.push_back(std::move(word));
  return words;
}

bool begins_with_one(const std::string& word, std::initializer_list<std::string_view> list) {
  return std::any_of(list.begin(), list.end(), [&](auto prefix) { return word.starts_with(prefix); });
}

}  // namespace

result<build_flags> sort_build_flags(const std::string& text, const std::vector<std::string>& allowed,
                                     const std::string& toolchain) {
  auto words = words_of(text);
  if (!words) return words.failure();
  build_flags sorted;
  for (size_t i = 0; i < words->size(); ++i) {
    auto word = (*words)[i];
    if (word == "-O") word = "-O1";
    bool takes_next =
        word == "-I" || word == "-D" || word == "-isystem" || word == "-o" || word == "-l" || word == "-L";
    if (takes_next && i + 1 == words->size())
      return error{errc::invalid_input, "--flags: " + word + " is followed by nothing"};
    std::string next = takes_next ? (*words)[++i] : std::string();
    if (word == "-I" || word == "-isystem") {
      sorted.directories.push_back(next);
    } else if (word.starts_with("-I")) {
      sorted.directories.push_back(word.substr(2));
    } else if (word == "-D") {
      sorted.definitions.push_back(next);
    } else if (word.starts_with("-D")) {
      sorted.definitions.push_back(word.substr(2));
    } else if (flag_allowed(allowed, word)) {
      sorted.baseline.push_back(word);
    } else if (word == "-c" || word == "-s" || word == "-pipe" || word == "-fPIC" || word == "-fpic" || takes_next ||
               word == "-pedantic" || begins_with_one(word, {"-W", "-g", "-std=", "-l", "-L", "-M"})) {
      sorted.ignored.push_back(word + (next.empty() ? "" : " " + next));
    } else {
      return error{errc::invalid_input, "--flags: " + word.substr(0, 80) + " is not among the allowed flags of " +
                                            toolchain + " (config/toolchains/" + toolchain + ".toml); leave it out"};
    }
  }
  return sorted;
}

}  // namespace kope
