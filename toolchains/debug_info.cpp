#include "toolchains/debug_info.hpp"

#include <charconv>
#include <map>
#include <optional>

namespace kope {
namespace {

// A unit with every standard header in it has some hundreds; a file that is larger is not one of a kernel.
constexpr size_t entries_max = 200'000;
// Pointers to pointers to structures of pointers: deeper is a cycle (a list's node points to its own type).
constexpr unsigned type_depth_max = 6;

struct entry {
  unsigned depth = 0;
  std::string_view tag;
  std::map<std::string_view, std::string_view> attributes;
  std::vector<uint64_t> children;
};

std::string_view trimmed(std::string_view text) {
  auto begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

std::optional<uint64_t> number(std::string_view text, int base) {
  uint64_t value = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (failed != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

/// "(indirect string, offset: 0x7f): size_t" or "size_t".
std::string_view string_value(std::string_view value) {
  if (!value.starts_with('(')) return value;
  auto end = value.find("): ");
  return end == value.npos ? std::string_view() : value.substr(end + 3);
}

class reader {
public:
  bool read(std::string_view text) {
    std::vector<uint64_t> open;  // the entry at each depth
    entry* current = nullptr;
    while (!text.empty()) {
      auto end = text.find('\n');
      auto line = text.substr(0, end);
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
      line = trimmed(line);
      if (line.starts_with('<') && line.find("Abbrev Number:") != line.npos) {
        current = begin_entry(line, open);
        if (entries_.size() > entries_max) return false;
      } else if (current && line.starts_with('<')) {
        auto name = line.find("DW_AT_"), colon = line.find(':', name == line.npos ? 0 : name);
        if (name == line.npos || colon == line.npos) continue;
        current->attributes[trimmed(line.substr(name, colon - name))] = trimmed(line.substr(colon + 1));
      }
    }
    return !entries_.empty();
  }

  std::vector<c_function> functions() const {
    std::vector<c_function> found;
    for (auto& [offset, one] : entries_) {
      if (one.tag != "DW_TAG_subprogram" || has(one, "DW_AT_declaration") || name_of(one).empty()) continue;
      c_function made;
      made.name = name_of(one);
      made.external = has(one, "DW_AT_external");
      made.returns = type_of(one, 0);
      for (auto child : one.children) {
        auto at = entries_.find(child);
        if (at == entries_.end()) continue;
        if (at->second.tag == "DW_TAG_unspecified_parameters") made.variadic = true;
        if (at->second.tag == "DW_TAG_formal_parameter")
          made.parameters.push_back({name_of(at->second), type_of(at->second, 0)});
      }
      found.push_back(std::move(made));
    }
    return found;
  }

private:
  entry* begin_entry(std::string_view line, std::vector<uint64_t>& open) {
    // <depth><offset>: Abbrev Number: 2 (DW_TAG_typedef); number 0 ends a list of children
    auto middle = line.find("><");
    auto end = line.find(">:");
    if (middle == line.npos || end == line.npos || end < middle) return nullptr;
    auto depth = number(line.substr(1), 16), offset = number(line.substr(middle + 2), 16);
    auto tag = line.find("(DW_TAG_");
    if (!depth || !offset || tag == line.npos || *depth > open.size()) return nullptr;
    auto close = line.find(')', tag);
    if (close == line.npos) return nullptr;
    open.resize(*depth);
    if (*depth > 0)
      if (auto parent = entries_.find(open.back()); parent != entries_.end())
        parent->second.children.push_back(*offset);
    open.push_back(*offset);
    auto& made = entries_[*offset];
    made.depth = static_cast<unsigned>(*depth);
    made.tag = line.substr(tag + 1, close - tag - 1);
    return &made;
  }

  static bool has(const entry& one, std::string_view attribute) { return one.attributes.contains(attribute); }
  static std::string_view text_of(const entry& one, std::string_view attribute) {
    auto at = one.attributes.find(attribute);
    return at == one.attributes.end() ? std::string_view() : at->second;
  }
  static std::string name_of(const entry& one) { return std::string(string_value(text_of(one, "DW_AT_name"))); }

  /// The type that an entry names; `nothing` (void) where it names none.
  c_type type_of(const entry& one, unsigned depth) const {
    auto reference = text_of(one, "DW_AT_type");
    if (reference.empty()) return {};
    c_type unknown;
    unknown.kind = c_kind::other;
    if (depth > type_depth_max * 3 || !reference.starts_with("<0x")) return unknown;
    auto offset = number(reference.substr(3), 16);
    auto at = offset ? entries_.find(*offset) : entries_.end();
    return at == entries_.end() ? unknown : resolved(at->second, depth + 1);
  }

  c_type resolved(const entry& one, unsigned depth) const {
    c_type made;
    made.kind = c_kind::other;
    made.bytes = static_cast<uint32_t>(number(text_of(one, "DW_AT_byte_size"), 10).value_or(0));
    if (one.tag == "DW_TAG_typedef" || one.tag == "DW_TAG_const_type" || one.tag == "DW_TAG_restrict_type" ||
        one.tag == "DW_TAG_volatile_type") {
      made = type_of(one, depth);
      if (one.tag == "DW_TAG_typedef") made.name = name_of(one);
      if (one.tag == "DW_TAG_const_type") made.constant = true;
      if (one.tag == "DW_TAG_restrict_type") made.restricted = true;
      if (one.tag == "DW_TAG_volatile_type") made.kind = c_kind::other;
    } else if (one.tag == "DW_TAG_base_type") {
      auto encoding = text_of(one, "DW_AT_encoding");
      made.name = name_of(one);
      made.is_signed = !encoding.starts_with("7") && !encoding.starts_with("8");
      if (encoding.starts_with("4")) made.kind = c_kind::floating;
      if (encoding.starts_with("5") || encoding.starts_with("6") || encoding.starts_with("7") ||
          encoding.starts_with("8"))
        made.kind = c_kind::whole;
    } else if (one.tag == "DW_TAG_pointer_type") {
      made.kind = c_kind::pointer;
      auto target = type_of(one, depth);
      if (target.kind != c_kind::nothing) made.target = std::make_shared<const c_type>(std::move(target));
    } else if (one.tag == "DW_TAG_array_type") {
      made.kind = c_kind::array;
      made.target = std::make_shared<const c_type>(type_of(one, depth));
      for (auto child : one.children) {
        auto at = entries_.find(child);
        if (at == entries_.end() || at->second.tag != "DW_TAG_subrange_type") continue;
        auto upper = text_of(at->second, "DW_AT_upper_bound");
        auto last = upper.find_first_not_of("0123456789") == upper.npos ? number(upper, 10) : std::nullopt;
        made.lengths.push_back(last ? *last + 1 : 0);
      }
    } else if (one.tag == "DW_TAG_structure_type") {
      made.kind = c_kind::structure;
      if (auto name = name_of(one); !name.empty()) made.name = "struct " + name;
      if (depth <= type_depth_max)
        for (auto child : one.children) {
          auto at = entries_.find(child);
          if (at != entries_.end() && at->second.tag == "DW_TAG_member")
            made.fields.push_back({name_of(at->second), type_of(at->second, depth)});
        }
    }
    return made;
  }

  std::map<uint64_t, entry> entries_;
};

}  // namespace

result<std::vector<c_function>> parse_debug_info(std::string_view text) {
  reader from;
  if (!from.read(text)) return error{errc::invalid_input, "the debug information of the file could not be read"};
  return from.functions();
}

}  // namespace kope
