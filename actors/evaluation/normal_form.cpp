#include "actors/evaluation/normal_form.hpp"

#include <utility>
#include <vector>

#include "messages/content_hash.hpp"

namespace kope {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }
/// Brackets, commas and semicolons never join with a neighbour; every other sign might.
bool stands_alone(char c) { return std::string_view("()[]{},;~?").find(c) != std::string_view::npos; }

class reader {
public:
  explicit reader(std::string_view source) : in_(source) { out_.reserve(source.size()); }

  std::string read() {
    while (at_ < in_.size()) step();
    if (!out_.empty() && out_.back() == '\n') out_.pop_back();
    return std::move(out_);
  }

private:
  bool next_is(std::string_view text) const { return in_.substr(at_, text.size()) == text; }

  /// A backslash before a line's end joins the lines.
  size_t splice_length() const {
    if (next_is("\\\n")) return 2;
    if (next_is("\\\r\n")) return 3;
    return 0;
  }

  void step() {
    char c = in_[at_];
    if (size_t splice = splice_length()) {
      at_ += splice;  // joins, so it separates nothing
    } else if (c == '\n') {
      ++at_;
      if (directive_) put_line_end();
      directive_ = false;
      line_start_ = true;
      gap_ = true;
    } else if (is_space(c)) {
      ++at_;
      gap_ = true;
    } else if (next_is("//")) {
      while (at_ < in_.size() && in_[at_] != '\n') at_ += splice_length() ? splice_length() : 1;
      gap_ = true;
    } else if (next_is("/*")) {
      size_t end = in_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? in_.size() : end + 2;
      gap_ = true;
    } else {
      token(c);
    }
  }

  void token(char c) {
    bool starts_directive = c == '#' && line_start_;
    if (starts_directive) {
      if (!out_.empty() && out_.back() != '\n') put_line_end();
      directive_ = true;
    }
    line_start_ = false;
    separate(c);
    if (c == '"' || c == '\'') return literal(c);
    if (is_word(c) || (c == '.' && at_ + 1 < in_.size() && is_digit(in_[at_ + 1]))) return word();
    last_was_number_ = false;
    out_ += c;
    ++at_;
  }

  static bool is_exponent(char last, char next) {
    return next == '.' || last == 'e' || last == 'E' || last == 'p' || last == 'P';
  }

  /// One space where the white space that was left out kept two tokens apart.
  void separate(char next) {
    bool gap = std::exchange(gap_, false);
    if (!gap || out_.empty() || out_.back() == '\n') return;
    char last = out_.back();
    if (directive_) {
      out_ += ' ';
    } else if (!stands_alone(last) && !stands_alone(next)) {
      // A word and a sign do not join, but a word and a quote do (L "x"), and so do a number and some signs (1e +1).
      bool quote = next == '"' || next == '\'' || last == '"' || last == '\'';
      bool number = (last_was_number_ && (next == '.' || next == '+' || next == '-') && is_exponent(last, next)) ||
                    (last == '.' && is_digit(next));
      if (is_word(last) == is_word(next) || quote || number) out_ += ' ';
    }
  }

  /// An identifier or a number, with a raw or an ordinary literal when it is its prefix.
  void word() {
    size_t start = out_.size();
    bool number = is_digit(in_[at_]) || in_[at_] == '.';
    while (at_ < in_.size()) {
      char c = in_[at_];
      if (size_t splice = splice_length()) {
        at_ += splice;
      } else if (is_word(c) || (number && (c == '.' || joins_number(c)))) {
        out_ += c;
        ++at_;
      } else {
        break;
      }
    }
    last_was_number_ = number;
    if (number || at_ >= in_.size()) return;
    auto prefix = std::string_view(out_).substr(start);
    if (in_[at_] == '"' && (prefix == "R" || prefix == "LR" || prefix == "uR" || prefix == "UR" || prefix == "u8R")) {
      raw_literal();
    }
  }

  /// 1'000, 1e+5, 0x1p-3
  bool joins_number(char c) const {
    if (c == '\'') return at_ + 1 < in_.size() && is_word(in_[at_ + 1]);
    if (c != '+' && c != '-') return false;
    return is_exponent(out_.back(), c);
  }

  void literal(char quote) {
    last_was_number_ = false;
    out_ += quote;
    ++at_;
    while (at_ < in_.size() && in_[at_] != '\n') {
      if (size_t splice = splice_length()) {
        at_ += splice;
        continue;
      }
      char c = in_[at_++];
      out_ += c;
      if (c == quote) return;
      if (c == '\\' && at_ < in_.size() && in_[at_] != '\n') out_ += in_[at_++];
    }
  }

  void raw_literal() {
    size_t open = in_.find('(', at_);
    constexpr size_t delimiter_max = 16;
    size_t end = in_.size();
    if (open != std::string_view::npos && open - at_ - 1 <= delimiter_max) {
      std::string close = ")" + std::string(in_.substr(at_ + 1, open - at_ - 1)) + "\"";
      size_t found = in_.find(close, open);
      if (found != std::string_view::npos) end = found + close.size();
    }
    out_.append(in_, at_, end - at_);
    at_ = end;
  }

  void put_line_end() {
    out_ += '\n';
    gap_ = false;
  }

  std::string_view in_;
  std::string out_;
  size_t at_ = 0;
  bool gap_ = false;
  bool directive_ = false;
  bool line_start_ = true;
  bool last_was_number_ = false;
};

}  // namespace

std::string normal_form(std::string_view source) { return reader(source).read(); }

std::string normal_hash(std::string_view source, std::span<const std::string> flags) {
  std::string form = normal_form(source);
  std::vector<std::string_view> fields{form};
  fields.insert(fields.end(), flags.begin(), flags.end());
  return content_hash_of(fields);
}

}  // namespace kope
