// The one place that knows every family.
#include "actors/coder/schedule/families/matrix_product.hpp"
#include "actors/coder/schedule/families/row_normalisation.hpp"
#include "actors/coder/schedule/families/row_reduction.hpp"
#include "actors/coder/schedule/family.hpp"

namespace kope {

const std::vector<std::unique_ptr<family>>& families() {
  static const auto all = [] {
    std::vector<std::unique_ptr<family>> list;
    list.push_back(std::make_unique<matrix_product>());
    list.push_back(std::make_unique<row_normalisation>());
    list.push_back(std::make_unique<row_reduction>());
    return list;
  }();
  return all;
}

const family* find_family(std::string_view name) {
  for (const auto& one : families())
    if (one->name() == name) return one.get();
  return nullptr;
}

}  // namespace kope
