#include "daemon/own_kernel/array_use.hpp"

#include <algorithm>
#include <set>

namespace kope {
namespace {

constexpr unsigned calls_max = 4;           // helper functions of helper functions
constexpr unsigned substitutions_max = 32;  // a bound that depends on a bound; more is a circle

struct loop_range {
  std::optional<size_formula> low, high;  // both inclusive
};

/// A local pointer that is another name for a place in an array.
struct alias {
  std::string array;
  size_formula offset;
};

bool assigns(std::string_view sign) {
  static constexpr std::string_view all[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
  return std::find(std::begin(all), std::end(all), sign) != std::end(all);
}

class analysis {
public:
  analysis(const std::vector<c_token>& file, const std::vector<c_token>& body,
           const std::map<std::string, std::string>& arrays, unsigned depth)
    : file_(file), body_(body), depth_(depth) {
    for (auto& [name, own] : arrays) aliases_[name] = {own, size_formula::of(0)};
  }

  std::map<std::string, array_use> run() {
    count_assignments();
    find_locals();
    find_loops();
    for (size_t at = 0; at < body_.size(); ++at)
      if (body_[at].kind == token_kind::word && (at == 0 || (text(at - 1) != "." && text(at - 1) != "->"))) look_at(at);
    return std::move(uses_);
  }

private:
  std::string_view text(size_t at) const { return at < body_.size() ? body_[at].text : std::string_view(); }

  /// "q->data" at `at` as "q.data"; `end` after it.
  std::string chain(size_t at, size_t& end) const {
    std::string name(text(at));
    end = at + 1;
    while ((text(end) == "." || text(end) == "->") && end + 1 < body_.size() &&
           body_[end + 1].kind == token_kind::word) {
      name += "." + std::string(text(end + 1));
      end += 2;
    }
    return name;
  }

  void count_assignments() {
    for (size_t at = 0; at + 1 < body_.size(); ++at) {
      if (body_[at].kind != token_kind::word) continue;
      bool stepped =
          text(at + 1) == "++" || text(at + 1) == "--" || (at > 0 && (text(at - 1) == "++" || text(at - 1) == "--"));
      if (stepped || assigns(text(at + 1))) ++assignments_[std::string(text(at))];
    }
  }

  size_t statement_end(size_t at) const {
    int depth = 0;
    for (; at < body_.size(); ++at) {
      auto t = text(at);
      if (t == "(" || t == "[" || t == "{") ++depth;
      if (t == ")" || t == "]" || t == "}") --depth;
      if (depth < 0 || (depth == 0 && (t == ";" || t == ","))) return at;
    }
    return at;
  }

  /// Names that are set once: `int idx = i * k;` and `const float* row = a + i * k;`.
  void find_locals() {
    for (size_t at = 1; at + 2 < body_.size(); ++at) {
      if (body_[at].kind != token_kind::word || text(at + 1) != "=") continue;
      std::string name(text(at));
      bool declared = body_[at - 1].kind == token_kind::word || text(at - 1) == "*" || text(at - 1) == ",";
      if (!declared || assignments_[name] != 1) continue;
      auto end = statement_end(at + 2);
      size_t begin = at + 2;
      if (text(begin) == "&" || body_[begin].kind == token_kind::word) {
        size_t after = 0;
        size_t base = text(begin) == "&" ? begin + 1 : begin;
        if (base >= end) continue;
        auto of = aliases_.find(chain(base, after));
        if (of != aliases_.end()) {
          std::optional<size_formula> offset;
          if (base != begin && text(after) == "[" && closing(body_, after) + 1 == end)
            offset = parse_size_formula(body_, after + 1, end - 1);
          else if (base == begin && after == end)
            offset = size_formula::of(0);
          else if (base == begin && text(after) == "+")
            offset = parse_size_formula(body_, after + 1, end);
          if (offset) {
            aliases_[name] = {of->second.array, of->second.offset + *offset};
            defined_at_.insert(base);
          }
          continue;
        }
      }
      if (auto value = parse_size_formula(body_, begin, end)) locals_[name] = *value;
    }
  }

  void find_loops() {
    for (size_t at = 0; at + 1 < body_.size(); ++at) {
      if (text(at) != "for" || text(at + 1) != "(") continue;
      auto close = closing(body_, at + 1);
      size_t first = at + 2;
      while (first < close && text(first) != ";") ++first;
      size_t second = first + 1;
      while (second < close && text(second) != ";") ++second;
      if (close >= body_.size() || second >= close) continue;
      // for (TYPE v = low; v < high; …)
      size_t equals = at + 2;
      while (equals < first && text(equals) != "=") ++equals;
      if (equals >= first || equals == at + 2) continue;
      std::string variable(text(equals - 1));
      loop_range range;
      range.low = parse_size_formula(body_, equals + 1, std::min(first, statement_end(equals + 1)));
      std::string_view sign;
      size_t compare = first + 1;
      for (; compare < second; ++compare) {
        auto t = text(compare);
        if (t == "<" || t == "<=" || t == ">" || t == ">=" || t == "!=") {
          sign = t;
          break;
        }
      }
      bool left = compare == first + 2 && text(first + 1) == variable;
      auto bound = left ? parse_size_formula(body_, compare + 1, second) : std::nullopt;
      if (bound && (sign == "<" || sign == "!=")) range.high = *bound - size_formula::of(1);
      if (bound && sign == "<=") range.high = *bound;
      if (bound && (sign == ">" || sign == ">=")) {  // it counts down
        range.high = range.low;
        range.low = sign == ">" ? *bound + size_formula::of(1) : *bound;
      }
      auto known = loops_.find(variable);
      if (known == loops_.end())
        loops_[variable] = range;
      else if (range.high && known->second.high)  // another loop of the same name: the one that reaches further
        known->second.high = larger(*known->second.high, *range.high);
    }
  }

  static std::optional<size_formula> larger(const size_formula& a, const size_formula& b) {
    // names count large and different numbers: which of two indices reaches further is seen at two such points
    bool a_wins = true, b_wins = true;
    for (double scale : {1000.0, 7919.0}) {
      std::map<std::string, double> values;
      double next = scale;
      auto give = [&](const size_formula& of) {
        for (auto& name : of.names())
          if (values.emplace(name, next).second) next = next * 1.0 + 37;
      };
      give(a);
      give(b);
      double difference = a.value(values) - b.value(values);
      a_wins &= difference >= 0;
      b_wins &= difference <= 0;
    }
    if (a_wins) return a;
    if (b_wins) return b;
    return std::nullopt;
  }

  /// The largest value of an index: locals are put in, loop variables go to that end of their range which makes the
  /// term larger.
  std::optional<size_formula> largest(size_formula index) const {
    for (unsigned step = 0; step < substitutions_max; ++step) {
      bool changed = false;
      for (auto& name : index.names()) {
        if (auto local = locals_.find(name); local != locals_.end() && !loops_.contains(name)) {
          index = index.with(name, local->second);
          changed = true;
          break;
        }
        auto loop = loops_.find(name);
        if (loop == loops_.end()) {
          auto assigned = assignments_.find(name);
          if (assigned != assignments_.end() && assigned->second > 0) return std::nullopt;
          continue;
        }
        bool up = false, down = false;
        for (auto& [names, coefficient] : index.terms())
          if (std::find(names.begin(), names.end(), name) != names.end()) (coefficient > 0 ? up : down) = true;
        if (up == down) return std::nullopt;
        auto& end = up ? loop->second.high : loop->second.low;
        if (!end || end->names() == std::vector<std::string>{name}) return std::nullopt;
        index = index.with(name, *end);
        changed = true;
        break;
      }
      if (!changed) return index;
    }
    return std::nullopt;
  }

  void reaches(array_use& use, std::optional<size_formula> array_use::*which, size_t begin, size_t end,
               const size_formula& offset) {
    auto index = parse_size_formula(body_, begin, end);
    if (index) index = largest(*index + offset);
    if (!index) return;
    auto extent = *index + size_formula::of(1);
    auto& known = use.*which;
    if (known) {
      auto more = larger(*known, extent);
      if (!more || *more == *known) return;
    }
    known = extent;
    use.shown_by.clear();
    for (size_t i = begin; i < end; ++i) use.shown_by += (use.shown_by.empty() ? "" : " ") + std::string(text(i));
  }

  void look_at(size_t at) {
    size_t after = 0;
    auto of = aliases_.find(chain(at, after));
    if (of == aliases_.end() || defined_at_.contains(at)) return;
    bool is_definition = assignments_[std::string(text(at))] > 0 && text(after) == "=" && at > 0 &&
                         (text(at - 1) == "*" || body_[at - 1].kind == token_kind::word);
    if (is_definition) return;
    auto& use = uses_[of->second.array];
    std::string_view before = at > 0 ? text(at - 1) : std::string_view();
    if (text(after) == "[") {
      size_t close = closing(body_, after);
      reaches(use, text(close + 1) == "[" ? &array_use::first_extent : &array_use::elements, after + 1, close,
              of->second.offset);
      while (text(close + 1) == "[") close = closing(body_, close + 1);
      if (close >= body_.size()) return;
      if (before == "&") return handed_on(at, close + 1, use);
      return accessed(use, at, after, close, before);
    }
    if (before == "*" &&
        (at < 2 || (body_[at - 2].kind != token_kind::word && body_[at - 2].kind != token_kind::number &&
                    text(at - 2) != ")" && text(at - 2) != "]")))
      return accessed(use, at, after, after - 1, at >= 2 ? text(at - 2) : std::string_view());
    handed_on(at, after, use);
  }

  /// The element of the tokens from `at` on, whose index is from `open` to `close`.
  void accessed(array_use& use, size_t at, size_t open, size_t close, std::string_view before) {
    auto next = text(close + 1);
    std::string index(text(at));
    for (size_t i = open; i <= close; ++i) index += " " + std::string(text(i));
    if (next == "=") {
      use.writes = true;
      // c[i] = c[i] + x reads first
      auto end = statement_end(close + 2);
      for (size_t i = close + 2; i < end; ++i)
        if (text(i) == text(at)) use.reads = true;
      if (!use.reads && use.written_first.empty()) use.written_first = index;
      return;
    }
    bool changes = assigns(next) || next == "++" || next == "--" || before == "++" || before == "--";
    use.writes |= changes;
    use.reads |= use.written_first != index;
  }

  /// A bare name: an argument of a call that is in the file, or something that is not followed.
  void handed_on(size_t at, size_t, array_use& use) {
    int depth = 0;
    size_t argument = 0;
    for (size_t i = at; i-- > 0;) {
      auto t = text(i);
      if (t == ")" || t == "]" || t == "}") ++depth;
      if (depth == 0 && t == ",") ++argument;
      if (depth == 0 && (t == ";" || t == "{")) break;
      if (t == "(" || t == "[") {
        if (depth-- > 0) continue;
        if (i > 0 && t == "(" && body_[i - 1].kind == token_kind::word) return called(text(i - 1), argument, use);
        break;
      }
      if (t == "{") --depth;
    }
    use.unknown = true;
    use.reads = use.writes = true;
  }

  void called(std::string_view callee, size_t argument, array_use& use) {
    if (callee == "memset" || callee == "memcpy" || callee == "memmove") {
      (argument == 0 ? use.writes : use.reads) = true;
      return;
    }
    if (callee == "sizeof") return;
    auto definition = depth_ < calls_max ? find_definition(file_, callee) : function_text();
    if (argument < definition.parameters.size()) {
      auto& declared = definition.parameters[argument];
      std::string name;
      for (auto& token : declared) {
        if (token.text == "[") break;
        if (token.kind == token_kind::word) name = token.text;
      }
      auto within = analysis(file_, definition.body, {{name, name}}, depth_ + 1).run();
      use.reads |= within[name].reads;
      use.writes |= within[name].writes;
      use.unknown |= within[name].unknown;
      return;  // how far it reaches is in the callee's names, not in ours
    }
    use.unknown = true;
    use.reads = use.writes = true;
  }

  const std::vector<c_token>& file_;
  const std::vector<c_token>& body_;
  unsigned depth_;
  std::map<std::string, alias> aliases_;
  std::map<std::string, size_formula> locals_;
  std::map<std::string, loop_range> loops_;
  std::map<std::string, unsigned> assignments_;
  std::set<size_t> defined_at_;
  std::map<std::string, array_use> uses_;
};

}  // namespace

std::map<std::string, array_use> find_array_use(const std::vector<c_token>& tokens, std::string_view name,
                                                const std::vector<std::string>& arrays) {
  auto definition = find_definition(tokens, name);
  std::map<std::string, std::string> names;
  for (auto& array : arrays) names[array] = array;
  return analysis(tokens, definition.body, names, 0).run();
}

}  // namespace kope
