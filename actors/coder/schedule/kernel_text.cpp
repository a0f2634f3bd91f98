#include "actors/coder/schedule/kernel_text.hpp"

#include <algorithm>

namespace kope {

std::string filled(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::string out;
  while (true) {
    const size_t open = text.find('$');
    out += text.substr(0, open);
    if (open == text.npos) return out;
    const size_t close = text.find('$', open + 1);
    check(close != text.npos, "a name in a kernel's text ends with $");
    const auto name = text.substr(open + 1, close - open - 1);
    auto value = std::find_if(values.begin(), values.end(), [&](auto& pair) { return pair.first == name; });
    check(value != values.end(), "every name in a kernel's text has a value");
    out += value->second;
    text.remove_prefix(close + 1);
  }
}

std::string heading(const space_table& table, const std::vector<int64_t>& point) {
  std::string text = std::string("// Family ") + table.family + ":";
  for (size_t i = 0; i < point.size(); ++i)
    text += std::string(i == 0 ? " " : ", ") + table.ranges[i].meaning + " " + std::to_string(point[i]);
  return text + ".\n";
}

std::string vector_type(int64_t lanes) {
  return "typedef float vec __attribute__((vector_size(" + std::to_string(lanes * 4) +
         "), aligned(4), may_alias));  // at any alignment\n";
}

const char* vectors_macro(int64_t lanes) { return lanes == 16 ? "__AVX512F__" : lanes == 8 ? "__AVX__" : "__SSE2__"; }

std::string streaming_store(int64_t lanes) {
  constexpr std::string_view text = R"(#ifdef $has_vectors$
#ifdef __clang__
  typedef float line __attribute__((vector_size($bytes$), may_alias));  // at its own alignment
  if (streams) return __builtin_nontemporal_store((line)v, (line*)to);
#else
  if (streams) return $builtin$(to, v);
#endif
#endif
)";
  return filled(text, {{"has_vectors", vectors_macro(lanes)},
                       {"bytes", std::to_string(lanes * 4)},
                       {"builtin", lanes == 16  ? "__builtin_ia32_movntps512"
                                   : lanes == 8 ? "__builtin_ia32_movntps256"
                                                : "__builtin_ia32_movntps"}});
}

namespace {

bool has_prototype(wire::Task::Reader task, unsigned sizes, const std::vector<tensor_shape>& tensors) {
  auto given = task.getTensors();
  if (task.getSizes().size() != sizes || given.size() != tensors.size()) return false;
  for (unsigned t = 0; t < tensors.size(); ++t) {
    auto extents = given[t].getExtents();
    if (given[t].getRole() != tensors[t].role || given[t].getElementType() != wire::ElementType::F32 ||
        extents.size() != tensors[t].extents.size())
      return false;
    for (unsigned e = 0; e < extents.size(); ++e)
      if (extents[e] != task.getSizes()[tensors[t].extents[e]]) return false;
  }
  return true;
}

}  // namespace

error not_of_family(wire::Task::Reader task, const char* family, const std::string& what) {
  return {errc::invalid_input, std::string("family ") + family + ": task '" + task.getName().cStr() + "' " + what};
}

std::string attribute_of(wire::Task::Reader task, std::string_view name) {
  for (auto each : task.getAttributes())
    if (name == each.getName().cStr()) return each.getValue();
  return {};
}

result<unit> expect_attributes(wire::Task::Reader task, const char* family,
                               std::initializer_list<std::string_view> known) {
  for (auto each : task.getAttributes()) {
    const std::string name = each.getName();
    if (std::find(known.begin(), known.end(), name) == known.end())
      return not_of_family(task, family, "has the attribute '" + name + "', which means nothing to this family");
  }
  return unit{};
}

result<unit> expect_prototype(wire::Task::Reader task, const char* family, unsigned sizes,
                              const std::vector<tensor_shape>& tensors, std::string_view wanted,
                              std::initializer_list<std::string_view> attributes) {
  if (!has_prototype(task, sizes, tensors)) return not_of_family(task, family, "must have " + std::string(wanted));
  return expect_attributes(task, family, attributes);
}

}  // namespace kope
