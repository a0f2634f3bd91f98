#include "actors/evaluation/oracle.hpp"

#include <cmath>

#include "actors/evaluation/comparison.hpp"
#include "actors/evaluation/concrete_cases.hpp"
#include "actors/evaluation/element_types.hpp"

namespace kope {

namespace {

/// One call of a reference that was written to be read: a 512-cubed product takes 0.2 to 0.5 s, and whoever writes a
/// task waits for 32 of them.
constexpr double call_seconds_max = 30;

bool same_layout(const slot_layout& a, const slot_layout& b) {
  return a.input_bytes == b.input_bytes && a.output_bytes == b.output_bytes && a.sizes == b.sizes;
}

template <class T>
std::vector<double> widened(std::span<const std::byte> bytes) {
  auto* from = reinterpret_cast<const T*>(bytes.data());
  return {from, from + bytes.size() / sizeof(T)};
}

std::vector<double> read_values(std::span<const std::byte> bytes, wire::ElementType type) {
  switch (type) {
    case wire::ElementType::F32:
      return widened<float>(bytes);
    case wire::ElementType::F64:
      return widened<double>(bytes);
    case wire::ElementType::I32:
      return widened<int32_t>(bytes);
    case wire::ElementType::I64:
      break;
  }
  return widened<int64_t>(bytes);
}

}  // namespace

uint64_t tensor_key(uint64_t set_key, size_t input) { return mix(set_key, input + 1); }

result<output_values> oracle::run(const concrete_case& c, uint64_t key, bool moved) {
  auto view = of_.read();
  auto task = *view;
  auto refuse = [&](const std::string& what) -> result<output_values> {
    session_.reset();
    return error{errc::internal, "the reference of task " + std::string(task.getName().cStr()) + " as oracle, case " +
                                     c.name + ": " + what};
  };
  auto layout = oracle_layout(task, c);
  if (!session_ || !same_layout(layout, layout_)) {
    session_.reset();
    session_request request;
    request.artifact = std::as_bytes(std::span(artifact_));
    request.layout = layout;
    request.place = placement::cache_aligned;
    request.cpus = cpus_;
    auto opened = with_.open(request);
    if (!opened) return opened.failure();
    session_ = std::move(*opened);
    layout_ = layout;
  }
  size_t inputs = 0, outputs = 0;
  std::vector<poison> poisons;
  for (auto tensor : task.getTensors()) {
    auto type = tensor.getElementType();
    bool real = type == task.getElementType();
    if (tensor.getRole() == wire::TensorRole::INPUT) {
      auto spec = fill_of(task, c, inputs);
      auto bytes = session_->input(0, inputs);
      auto own = tensor_key(key, inputs);
      fill_values(bytes, type, spec, own);
      if (real && moved) move_to_neighbours(bytes, type, mix(own, 0x6d6f766564));
      ++inputs;
    } else {
      poisons.push_back(
          make_poison(oracle_widens(task, tensor) ? wire::ElementType::F64 : type, mix(key, outputs + 1000)));
      write_poison(session_->output(0, outputs), poisons.back());
      ++outputs;
    }
  }
  const uint32_t slot = 0;
  auto report = session_->call(std::span(&slot, 1), call_seconds_max);
  if (!report) return report.failure();
  switch (report->end) {
    case batch_end::done:
      break;
    case batch_end::crashed:
      return refuse("it died of signal " + std::to_string(report->status));
    case batch_end::exited:
      return refuse("it called exit");
    case batch_end::timed_out:
      return refuse("one call took longer than 30 s; choose smaller sizes");
  }
  output_values values;
  for (size_t i = 0; i < outputs; ++i) {
    auto bytes = session_->output(0, i);
    if (is_floating(poisons[i].type)) {
      if (auto left = find_poison(bytes, poisons[i])) {
        return refuse("it left element " + std::to_string(*left) + " of output " + std::to_string(i) + " unwritten");
      }
    }
    values.push_back(read_values(bytes, poisons[i].type));
  }
  return values;
}

}  // namespace kope
