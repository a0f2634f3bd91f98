// The one place that knows every family.
#include "actors/coder/schedule/families/batched_product.hpp"
#include "actors/coder/schedule/families/data_movement.hpp"
#include "actors/coder/schedule/families/elementwise.hpp"
#include "actors/coder/schedule/families/layer_normalisation.hpp"
#include "actors/coder/schedule/families/matrix_product.hpp"
#include "actors/coder/schedule/families/row_normalisation.hpp"
#include "actors/coder/schedule/families/row_reduction.hpp"
#include "actors/coder/schedule/family.hpp"

namespace kope {

const std::vector<std::unique_ptr<family>>& families() {
  static const auto all = [] {
    std::vector<std::unique_ptr<family>> list;
    list.push_back(std::make_unique<batched_product>());
    list.push_back(std::make_unique<data_movement>());
    list.push_back(std::make_unique<elementwise>());
    list.push_back(std::make_unique<layer_normalisation>());
    list.push_back(std::make_unique<matrix_product>());
    list.push_back(std::make_unique<row_reduction>());
    list.push_back(std::make_unique<row_normalisation>());
    return list;
  }();
  return all;
}

const family* find_family(std::string_view name) {
  for (const auto& one : families())
    if (one->name() == name) return one.get();
  return nullptr;
}

result<const family*> family_of(wire::Task::Reader task) {
  const std::string name = task.getFamily().cStr(), of = std::string("task ") + task.getName().cStr();
  const family* found = find_family(name);
  if (!found) {
    std::string known;
    for (const auto& each : families()) known += (known.empty() ? "" : ", ") + std::string(each->name());
    return error{errc::invalid_input, name.empty() ? of + " names no operator family; the schedule coder has " + known
                                                   : of + " names the operator family \"" + name +
                                                         "\", which the schedule coder does not have; it has " + known};
  }
  if (auto accepted = found->accepts(task); !accepted) return accepted.failure();
  return found;
}

}  // namespace kope
