#include "daemon/own_kernel/size_formula.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace kope {
namespace {

constexpr size_t terms_max = 64;      // an index of eight dimensions, multiplied out
constexpr size_t factors_max = 16;    // of one product
constexpr unsigned nesting_max = 64;  // of brackets

class parser {
public:
  parser(const std::vector<c_token>& tokens, size_t begin, size_t end) : tokens_(tokens), at_(begin), end_(end) {}

  std::optional<size_formula> whole() {
    auto made = sum(0);
    return at_ == end_ ? made : std::nullopt;
  }

private:
  bool next_is(std::string_view sign) const { return at_ < end_ && tokens_[at_].text == sign; }

  std::optional<size_formula> sum(unsigned depth) {
    if (depth > nesting_max) return std::nullopt;
    auto made = product(depth);
    while (made && (next_is("+") || next_is("-"))) {
      bool plus = next_is("+");
      ++at_;
      auto other = product(depth);
      if (!other) return std::nullopt;
      made = plus ? *made + *other : *made - *other;
    }
    return made;
  }

  std::optional<size_formula> product(unsigned depth) {
    auto made = factor(depth);
    while (made && next_is("*")) {
      ++at_;
      auto other = factor(depth);
      if (!other) return std::nullopt;
      made = *made * *other;
      if (made->terms().size() > terms_max) return std::nullopt;
      for (auto& [names, coefficient] : made->terms())
        if (names.size() > factors_max) return std::nullopt;
    }
    return made;
  }

  /// (int), (size_t), (unsigned long): words alone between brackets, before something that can be cast.
  bool skip_cast() {
    size_t at = at_ + 1;
    static constexpr std::string_view known[] = {"int",     "long",     "short",   "unsigned", "signed",  "size_t",
                                                 "int64_t", "uint64_t", "int32_t", "uint32_t", "ssize_t", "ptrdiff_t"};
    while (at < end_ && std::find(std::begin(known), std::end(known), tokens_[at].text) != std::end(known)) ++at;
    if (at == at_ + 1 || at >= end_ || tokens_[at].text != ")") return false;
    at_ = at + 1;
    return true;
  }

  std::optional<size_formula> factor(unsigned depth) {
    if (at_ >= end_ || depth > nesting_max) return std::nullopt;
    auto& t = tokens_[at_];
    if (t.text == "-" || t.text == "+") {
      bool minus = t.text == "-";
      ++at_;
      auto made = factor(depth + 1);
      if (made && minus) made = size_formula::of(0) - *made;
      return made;
    }
    if (t.text == "(") {
      if (skip_cast()) return factor(depth + 1);
      ++at_;
      auto made = sum(depth + 1);
      if (!made || !next_is(")")) return std::nullopt;
      ++at_;
      // (size)->width, as macros write it
      auto only = made->factors();
      if (only && only->size() == 1 && !std::isdigit(static_cast<unsigned char>(only->front()[0])))
        return fields_of(only->front());
      return made;
    }
    if (t.kind == token_kind::number) {
      int64_t value = 0;
      auto [end, failed] = std::from_chars(t.text.data(), t.text.data() + t.text.size(), value);
      std::string_view rest(end, static_cast<size_t>(t.text.data() + t.text.size() - end));
      if (failed != std::errc() || rest.find_first_not_of("uUlL") != rest.npos || value > (int64_t{1} << 40))
        return std::nullopt;
      ++at_;
      return size_formula::of(value);
    }
    if (t.kind != token_kind::word) return std::nullopt;
    ++at_;
    return fields_of(std::string(t.text));
  }

  std::optional<size_formula> fields_of(std::string name) {
    while (at_ + 1 < end_ && (next_is("->") || next_is(".")) && tokens_[at_ + 1].kind == token_kind::word) {
      name += "." + std::string(tokens_[at_ + 1].text);
      at_ += 2;
    }
    // a call, an element, a step
    if (next_is("(") || next_is("[") || next_is("++") || next_is("--")) return std::nullopt;
    return size_formula::of(name);
  }

  const std::vector<c_token>& tokens_;
  size_t at_, end_;
};

}  // namespace

size_formula size_formula::of(int64_t value) {
  size_formula made;
  made.add({}, value);
  return made;
}

size_formula size_formula::of(const std::string& name) {
  size_formula made;
  made.add({name}, 1);
  return made;
}

void size_formula::add(const term& of, int64_t coefficient) {
  auto& sum = terms_[of];
  // a text may hold any number: wrapping around is an answer that the reference's own run refuses
  sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(coefficient));
  if (sum == 0) terms_.erase(of);
}

size_formula size_formula::operator+(const size_formula& other) const {
  auto made = *this;
  for (auto& [names, coefficient] : other.terms_) made.add(names, coefficient);
  return made;
}

size_formula size_formula::operator-(const size_formula& other) const { return *this + other * of(-1); }

size_formula size_formula::operator*(const size_formula& other) const {
  size_formula made;
  for (auto& [names, coefficient] : terms_)
    for (auto& [others, factor] : other.terms_) {
      term both = names;
      both.insert(both.end(), others.begin(), others.end());
      std::sort(both.begin(), both.end());
      made.add(both, static_cast<int64_t>(static_cast<uint64_t>(coefficient) * static_cast<uint64_t>(factor)));
    }
  return made;
}

std::vector<std::string> size_formula::names() const {
  std::vector<std::string> all;
  for (auto& [names, coefficient] : terms_) all.insert(all.end(), names.begin(), names.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

size_formula size_formula::with(const std::string& name, const size_formula& value) const {
  size_formula made;
  for (auto& [names, coefficient] : terms_) {
    auto one = of(coefficient);
    for (auto& each : names) one = one * (each == name ? value : of(each));
    made = made + one;
  }
  return made;
}

double size_formula::value(const std::map<std::string, double>& values) const {
  double sum = 0;
  for (auto& [names, coefficient] : terms_) {
    double product = static_cast<double>(coefficient);
    for (auto& name : names) {
      auto at = values.find(name);
      product *= at == values.end() ? 0 : at->second;
    }
    sum += product;
  }
  return sum;
}

std::optional<std::vector<std::string>> size_formula::factors() const {
  if (terms_.size() != 1 || terms_.begin()->second < 1) return std::nullopt;
  auto names = terms_.begin()->first;
  if (auto coefficient = terms_.begin()->second; coefficient != 1 || names.empty())
    names.insert(names.begin(), std::to_string(coefficient));
  return names;
}

std::string size_formula::text() const {
  std::string all;
  for (auto at = terms_.rbegin(); at != terms_.rend(); ++at) {
    auto& [names, coefficient] = *at;
    auto magnitude = coefficient < 0 ? -coefficient : coefficient;
    all += all.empty() ? (coefficient < 0 ? "-" : "") : coefficient < 0 ? " - " : " + ";
    std::string product = magnitude != 1 || names.empty() ? std::to_string(magnitude) : "";
    for (auto& name : names) product += (product.empty() ? "" : " * ") + name;
    all += product;
  }
  return all.empty() ? "0" : all;
}

std::optional<size_formula> parse_size_formula(const std::vector<c_token>& tokens, size_t begin, size_t end) {
  if (begin >= end || end > tokens.size()) return std::nullopt;
  return parser(tokens, begin, end).whole();
}

std::optional<size_formula> parse_size_formula(std::string_view text) {
  auto tokens = split_c(text);
  return parse_size_formula(tokens, 0, tokens.size());
}

}  // namespace kope
