#include "actors/evaluation/concrete_cases.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "actors/evaluation/element_types.hpp"

namespace kope {

namespace {

constexpr size_t page = 4096;
/// One tensor's largest element count: of the smallest type it fills a session's memory.
constexpr uint64_t elements_max = slot_bytes_max / 4;

std::string_view text(capnp::Text::Reader from) { return {from.begin(), from.size()}; }

result<concrete_case> with_sizes(wire::Task::Reader task, std::string name, wire::CaseKind kind,
                                 std::vector<int64_t> sizes, size_t index) {
  auto refuse = [&](std::string what) -> result<concrete_case> {
    return error{errc::invalid_input, "case " + name + " of task " + std::string(text(task.getName())) + ": " + what};
  };
  if (sizes.size() != task.getSizes().size()) return refuse("it needs one size for each of the task's size symbols");
  concrete_case c;
  for (auto tensor : task.getTensors()) {
    uint64_t elements = 1;
    for (auto extent : tensor.getExtents()) {
      auto symbol = text(extent);
      uint64_t length = 0;
      auto names = task.getSizes();
      unsigned i = 0;
      while (i < names.size() && text(names[i]) != symbol) ++i;
      if (i < names.size()) {
        length = static_cast<uint64_t>(sizes[i]);
      } else {
        auto [end, failed] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), length);
        if (failed != std::errc() || end != symbol.data() + symbol.size()) {
          return refuse("extent " + std::string(symbol) + " of tensor " + std::string(text(tensor.getName())) +
                        " is neither a size symbol nor a number");
        }
      }
      if (length > elements_max || elements * length > elements_max) {
        return refuse("tensor " + std::string(text(tensor.getName())) + " is larger than " +
                      std::to_string(slot_bytes_max >> 20) + " MiB");
      }
      elements *= length;
    }
    size_t bytes = elements * element_bytes(tensor.getElementType());
    bool input = tensor.getRole() == wire::TensorRole::INPUT;
    (input ? c.layout.input_bytes : c.layout.output_bytes).push_back(bytes);
    c.elements.push_back(elements);
  }
  c.name = std::move(name);
  c.kind = kind;
  c.layout.sizes = sizes;
  c.sizes = std::move(sizes);
  c.index = index;
  return c;
}

/// Of all inputs of a listed case: how far its values reach from zero, and how far they lie to one side of it.
struct reach {
  double widest = 0, one_sided = 0;
};

std::optional<reach> reach_of(wire::Task::Reader task, unsigned index) {
  reach found;
  for (auto fill : task.getCases()[index].getFills()) {
    if (fill.getKind() == wire::FillKind::SPECIAL) return std::nullopt;  // at other sizes hardly a result is finite
    double low = fill.getLow(), high = fill.getHigh();
    found.widest = std::max({found.widest, std::abs(low), std::abs(high)});
    bool signs_of_both = fill.getKind() == wire::FillKind::LOG_UNIFORM || fill.getKind() == wire::FillKind::CANCELLING;
    if (!signs_of_both && high > low) found.one_sided = std::max(found.one_sided, std::abs(low + high) / (high - low));
  }
  return found;
}

}  // namespace

result<std::vector<concrete_case>> refilled_cases(wire::Task::Reader task, const concrete_case& of) {
  std::vector<concrete_case> made;
  for (auto tensor : task.getTensors()) {
    auto type = tensor.getElementType();
    bool floating = type == wire::ElementType::F32 || type == wire::ElementType::F64;
    if (tensor.getRole() == wire::TensorRole::INPUT && !floating) return made;
  }
  const unsigned listed = task.getCases().size();
  if (of.index >= listed) return made;
  auto own = reach_of(task, static_cast<unsigned>(of.index));
  if (!own) return made;
  std::optional<unsigned> widest, one_sided;
  reach most = *own;
  for (unsigned i = 0; i < listed; ++i) {
    auto reach = reach_of(task, i);
    if (!reach) continue;
    if (reach->widest > most.widest) {
      most.widest = reach->widest;
      widest = i;
    }
    if (reach->one_sided > most.one_sided) {
      most.one_sided = reach->one_sided;
      one_sided = i;
    }
  }
  for (auto from : {widest, one_sided}) {
    if (!from || (from == one_sided && !made.empty() && widest == one_sided)) continue;
    // The fills are those of the listed case that the index falls on (fill_of); drawn cases are below 2^32.
    uint64_t index = *from + uint64_t{listed} * ((uint64_t{1} << 33) + of.index);
    auto refilled = with_sizes(task, of.name + " on other inputs", wire::CaseKind::HIDDEN, of.sizes, index);
    if (!refilled) return refilled.failure();
    made.push_back(std::move(*refilled));
  }
  return made;
}

result<concrete_case> resolve_case(wire::Task::Reader task, size_t index) {
  auto from = task.getCases()[static_cast<unsigned>(index)];
  std::vector<int64_t> sizes;
  for (auto size : from.getSizes()) sizes.push_back(size);
  return with_sizes(task, std::string(text(from.getName())), from.getKind(), std::move(sizes), index);
}

result<concrete_case> draw_case(wire::Task::Reader task, uint64_t random, uint64_t number) {
  size_t listed = task.getCases().size();
  std::vector<int64_t> sizes;
  auto ranges = task.getDrawn();
  for (unsigned i = 0; i < ranges.size(); ++i) {
    uint64_t low = ranges[i].getLow(), high = std::max<uint64_t>(ranges[i].getHigh(), low);
    sizes.push_back(static_cast<int64_t>(low + mix(random, i) % (high - low + 1)));
  }
  if (sizes.empty() && listed > 0) {
    auto from = task.getCases()[static_cast<unsigned>(mix(random, ~0ull) % listed)];
    for (auto size : from.getSizes()) sizes.push_back(size);
  }
  return with_sizes(task, "drawn", wire::CaseKind::HIDDEN, std::move(sizes), listed + number);
}

fill_spec fill_of(wire::Task::Reader task, const concrete_case& c, size_t input) {
  auto cases = task.getCases();
  if (cases.size() == 0) return {};
  auto fills = cases[static_cast<unsigned>(c.index % cases.size())].getFills();
  if (input >= fills.size()) return {};
  auto fill = fills[static_cast<unsigned>(input)];
  return {fill.getKind(), fill.getLow(), fill.getHigh()};
}

bool oracle_widens(wire::Task::Reader task, wire::Tensor::Reader tensor) {
  return tensor.getElementType() == task.getElementType() && task.getOracle() != wire::OracleKind::AS_GIVEN;
}

slot_layout oracle_layout(wire::Task::Reader task, const concrete_case& c) {
  slot_layout wide = c.layout;
  size_t outputs = 0;
  for (auto tensor : task.getTensors()) {
    if (tensor.getRole() == wire::TensorRole::INPUT) continue;
    size_t& bytes = wide.output_bytes[outputs++];
    if (oracle_widens(task, tensor)) {
      bytes = bytes / element_bytes(tensor.getElementType()) * sizeof(double);
    }
  }
  return wide;
}

size_t slot_bytes(const slot_layout& layout) {
  size_t all = 0;
  for (size_t bytes : layout.input_bytes) all += (bytes + page - 1) / page * page;
  for (size_t bytes : layout.output_bytes) all += (bytes + page - 1) / page * page;
  return all;
}

size_t slots_that_fit(const slot_layout& layout) {
  size_t one = std::max<size_t>(slot_bytes(layout), 1);
  return std::clamp<size_t>(slot_bytes_max / one, 1, calls_max);
}

}  // namespace kope
