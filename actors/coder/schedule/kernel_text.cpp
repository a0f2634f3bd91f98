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

}  // namespace kope
