#include "toolchains/limit_meter.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "messages/enum_names.hpp"
#include "toolchains/limit_kernels.hpp"

namespace kope {
namespace {

using wire::Resource;

// One call is 0.3 ms on a core of 3.5 GHz: long beside the runner's own work around it, short beside a batch.
constexpr int64_t arithmetic_steps = 200'000;
constexpr int64_t exponential_steps = 40'000;
constexpr double bytes_a_call = 32 << 20;
// A core that is a hundred times slower than any of today still ends its first call.
constexpr double call_seconds_max = 10;
constexpr size_t output_bytes_of_arithmetic = 4096;  // twelve vectors of 64 bytes and what tells their size
// Where a cache's size is unknown: in every cache of that level of the last ten years, and beyond the level before.
constexpr std::array<size_t, 3> usual_footprints{16 << 10, 192 << 10, 4 << 20};
// More of a third level would share it with the neighbours' data.
constexpr size_t l3_footprint_max = 16 << 20;
// Guards and rounding to pages of two tensors.
constexpr size_t slot_room_kept = 1 << 20;

struct way {
  std::vector<limit_kernel> kernels;  // the quickest counts
  int level = 0;                      // of a bandwidth: 1 to 3, 4 is memory
};

way way_of(Resource resource) {
  switch (resource) {
    case Resource::F32_MULTIPLY_ADD_PEAK:
      return {{limit_kernel::f32_multiply_adds}};
    case Resource::F64_MULTIPLY_ADD_PEAK:
      return {{limit_kernel::f64_multiply_adds}};
    case Resource::F32_MIXED_PEAK:
      return {{limit_kernel::f32_mixed}};
    case Resource::F64_MIXED_PEAK:
      return {{limit_kernel::f64_mixed}};
    case Resource::I32_ADD_PEAK:
      return {{limit_kernel::i32_adds}};
    case Resource::I64_ADD_PEAK:
      return {{limit_kernel::i64_adds}};
    case Resource::F32_EXPONENTIAL_RATE:
      return {{limit_kernel::f32_exponentials}};
    case Resource::F64_EXPONENTIAL_RATE:
      return {{limit_kernel::f64_exponentials}};
    case Resource::L1_READ_BANDWIDTH:
      return {{limit_kernel::read}, 1};
    case Resource::L1_COPY_BANDWIDTH:
      return {{limit_kernel::copy}, 1};
    case Resource::L2_READ_BANDWIDTH:
      return {{limit_kernel::read}, 2};
    case Resource::L2_COPY_BANDWIDTH:
      return {{limit_kernel::copy}, 2};
    case Resource::L3_READ_BANDWIDTH:
      return {{limit_kernel::read}, 3};
    case Resource::L3_COPY_BANDWIDTH:
      return {{limit_kernel::copy, limit_kernel::streaming_copy}, 3};
    case Resource::MEMORY_READ_BANDWIDTH:
      return {{limit_kernel::read}, 4};
    case Resource::MEMORY_COPY_BANDWIDTH:
      return {{limit_kernel::copy, limit_kernel::streaming_copy}, 4};
    case Resource::UNKNOWN:
      break;
  }
  return {};
}

bool copies(limit_kernel which) { return which == limit_kernel::copy || which == limit_kernel::streaming_copy; }

size_t whole_blocks(size_t bytes) {
  return std::max(bytes / limit_kernel_block_bytes, size_t{1}) * limit_kernel_block_bytes;
}

/// One kernel in one runner: how much it did in a second, batch by batch.
class meter_session {
public:
  meter_session(limit_kernel which, size_t footprint) : which_(which), footprint_(footprint) {}

  result<unit> open(runner& on, std::span<const std::byte> artifact, int cpu) {
    bool through_memory = footprint_ > 0;
    tensor_bytes_ =
        through_memory ? whole_blocks(copies(which_) ? footprint_ / 2 : footprint_) : limit_kernel_block_bytes;
    int64_t steps = which_ == limit_kernel::f32_exponentials || which_ == limit_kernel::f64_exponentials
                        ? exponential_steps
                        : arithmetic_steps;
    if (through_memory) steps = std::max<int64_t>(1, std::llround(bytes_a_call / static_cast<double>(memory_bytes())));
    steps_ = steps;
    session_request request;
    request.artifact = artifact;
    request.layout.input_bytes = {tensor_bytes_};
    request.layout.output_bytes = {copies(which_) ? tensor_bytes_ : output_bytes_of_arithmetic};
    request.layout.sizes = {static_cast<int64_t>(which_), steps, static_cast<int64_t>(tensor_bytes_)};
    request.place = placement::cache_aligned;
    request.cpus = {cpu};
    request.urgent = true;
    auto opened = on.open(request);
    if (!opened) return opened.failure();
    session_ = std::move(*opened);
    return unit{};
  }

  /// Rates of the batches, after one call that warms up and tells how many calls make a batch.
  result<std::vector<double>> rates(limit_effort effort) {
    auto first = batch(1);
    if (!first) return first.failure();
    auto second = batch(1);
    if (!second) return second.failure();
    double wanted = effort.batch_seconds / std::max(*second, 1e-9);
    auto calls = static_cast<size_t>(std::clamp(std::ceil(wanted), 1.0, static_cast<double>(calls_max)));
    auto work = work_of_call();
    if (!work) return work.failure();
    std::vector<double> found;
    for (size_t n = 0; n < effort.batches; ++n) {
      auto seconds = batch(calls);
      if (!seconds) return seconds.failure();
      if (*seconds > 0) found.push_back(static_cast<double>(calls) * *work / *seconds);
    }
    if (found.empty()) return error{errc::internal, "no batch of a kernel that measures limits took any time"};
    return found;
  }

  size_t memory_bytes() const { return copies(which_) ? 2 * tensor_bytes_ : tensor_bytes_; }

private:
  result<double> batch(size_t calls) {
    std::vector<uint32_t> slots(calls, 0);
    auto report = session_->call(slots, call_seconds_max);
    if (!report) return report.failure();
    if (report->end != batch_end::done)
      return error{errc::internal, "a kernel that measures limits failed: " + session_->last_words()};
    return report->seconds;
  }

  result<double> work_of_call() {
    if (footprint_ > 0) return static_cast<double>(steps_) * static_cast<double>(memory_bytes());
    int64_t told[2];  // bytes of a vector, vectors of exponentials at once
    std::memcpy(told, session_->output(0, 0).data(), sizeof told);
    if (told[0] < 16 || told[0] > 64 || told[1] < 1 || told[1] > 8)
      return error{errc::internal, "a kernel that measures limits did not say how wide its vectors are"};
    auto work = work_of(which_);
    double vectors = work.per_vector > 0 ? work.per_vector : static_cast<double>(told[1]);
    return static_cast<double>(steps_) * vectors * static_cast<double>(told[0]) /
           static_cast<double>(work.element_bytes);
  }

  limit_kernel which_;
  size_t footprint_;
  size_t tensor_bytes_ = 0;
  int64_t steps_ = 0;
  std::unique_ptr<runner_session> session_;
};

}  // namespace

size_t footprint_of(Resource resource, wire::TargetRecord::Reader target) {
  const size_t caches[] = {target.getL1dBytes(), target.getL2Bytes(), target.getL3Bytes()};
  int level = way_of(resource).level;
  if (level == 0) return 0;
  if (level == 4) return slot_bytes_max - slot_room_kept;
  auto index = static_cast<size_t>(level - 1);
  size_t bytes = caches[index] > 0 ? caches[index] / 2 : usual_footprints[index];
  // beyond the level before, or it would be measured twice
  if (level == 3) bytes = std::clamp(bytes, std::min(4 * caches[1], l3_footprint_max), l3_footprint_max);
  return whole_blocks(bytes);
}

result<limit_meter> limit_meter::open(compiler& with, runner& on) {
  auto built = compile_and_wait(with, {.source = std::string(limit_kernels_source())});
  if (!built) return built.failure();
  if (!built->read()->getSucceeded())
    return error{errc::internal, std::string("the kernels that measure limits do not compile: ") +
                                     built->read()->getDiagnostics().cStr()};
  return limit_meter(std::move(*built), on);
}

result<measured_limit> limit_meter::measure(Resource resource, wire::TargetRecord::Reader target, int cpu,
                                            limit_effort effort) const {
  auto how = way_of(resource);
  check(!how.kernels.empty(), "only a resource that is known can be measured");
  auto view = artifact_.read();
  auto bytes = view->getArtifact();
  std::vector<double> best_rates;
  size_t footprint = 0;
  for (auto which : how.kernels) {
    meter_session one(which, footprint_of(resource, target));
    if (auto opened = one.open(*on_, std::as_bytes(std::span(bytes.begin(), bytes.size())), cpu); !opened)
      return opened.failure();
    auto rates = one.rates(effort);
    if (!rates) return rates.failure();
    std::sort(rates->begin(), rates->end());
    if (best_rates.empty() || rates->back() > best_rates.back()) best_rates = std::move(*rates);
    if (how.level > 0) footprint = one.memory_bytes();
  }
  return measured_limit::build([&](wire::MeasuredLimit::Builder made) {
    double best = best_rates.back();
    made.setResource(resource);
    made.setPerSecond(best);
    made.setError((best - best_rates[best_rates.size() / 2]) / best);
    made.setBatches(static_cast<uint32_t>(best_rates.size()));
    made.setFootprintBytes(static_cast<double>(footprint));
  });
}

result<parcel<wire::LimitsRecord>> limit_meter::measure_all(wire::TargetRecord::Reader target, int cpu,
                                                            bool quick) const {
  std::vector<measured_limit> all;
  for (auto value : capnp::Schema::from<Resource>().getEnumerants()) {
    auto resource = static_cast<Resource>(value.getOrdinal());
    if (resource == Resource::UNKNOWN) continue;
    auto one = measure(resource, target, cpu, quick ? quick_effort : thorough_effort);
    if (!one) return error{one.failure().code, enum_name(resource) + ": " + one.failure().what};
    all.push_back(std::move(*one));
  }
  return parcel<wire::LimitsRecord>::build([&](wire::LimitsRecord::Builder made) {
    made.setTarget(target.getKey());
    made.setQuick(quick);
    auto list = made.initLimits(static_cast<unsigned>(all.size()));
    for (unsigned i = 0; i < list.size(); ++i) list.setWithCaveats(i, *all[i].read());
  });
}

}  // namespace kope
