#include "actors/evaluation/case_bank.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "actors/evaluation/call_deadline.hpp"
#include "actors/evaluation/comparison.hpp"
#include "actors/evaluation/concrete_cases.hpp"
#include "actors/evaluation/element_types.hpp"
#include "actors/evaluation/oracle.hpp"
#include "actors/evaluation/tolerance.hpp"

namespace kope {

namespace {

/// Expected outputs kept: a timed case with 64 sets of 8 MiB doubles (a million elements), and as much for the others.
constexpr size_t cached_bytes_max = size_t{1} << 30;
/// A pool may fill half of it, so that verification's sets are not evicted by it.
constexpr size_t pool_bytes_max = cached_bytes_max / 2;
constexpr double pool_seconds_max = 5;    ///< a stranger waits for it before the first comparison
constexpr double pool_seconds_extra = 1;  ///< for more than pool_sets when sets are cheap
constexpr size_t pool_sets_min = 8;
/// 40 pairs and the warm-up with batches of three calls, each set seen twice by a process.
constexpr size_t pool_sets = 64;
/// Kernels of microseconds want batches of a thousand calls, and as many slots as a batch can have.
constexpr size_t pool_sets_max = 4096;
/// Oracle processes at once: they share the memory bandwidth, so more gain little.
constexpr size_t pool_processes_max = 4;
/// Cases kept in mind (seconds, tolerance): 20 listed ones and the last few hundred drawn ones.
constexpr size_t calibrations_max = 512;

/// Sets that the tolerance of a case is measured on: a one-element output can be exact by luck, four hardly.
constexpr size_t calibration_sets = 4;
/// With this many elements in two sets those are enough.
constexpr size_t calibration_elements = 4096;
/// The largest error of so many elements hardly differs between sets, and large cases cost tenths of a second a set.
constexpr size_t many_elements = 32768;
constexpr double slow_call_seconds = 0.02;  ///< first-touch of pages no longer matters for "how long does it take"
/// What suites elsewhere allow: for the switch that shows what it lets through.
constexpr double usual_tolerance = 0.01;
constexpr double baseline_call_seconds_max = 30;  ///< like the oracle's

using clock = std::chrono::steady_clock;
double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

struct calibration {
  double seconds = 0;
  std::vector<tolerance_estimate> outputs;
};

using case_key = std::pair<size_t, std::vector<int64_t>>;
using set_key = std::pair<case_key, uint64_t>;
using expected_set = std::shared_ptr<const std::vector<expected_output>>;

size_t bytes_of(const std::vector<expected_output>& outputs) {
  size_t all = 0;
  for (const auto& one : outputs) all += one.values.size() * sizeof(double);
  return all;
}

}  // namespace

struct case_bank::impl {
  task of;
  std::string baseline;
  runner& with;
  uint64_t seed;
  std::vector<int> cpus;
  const defences active;

  std::mutex working;  // of `reference` and `pools`; a pool has processes of its own beside it
  oracle reference;

  mutable std::mutex kept;  // guards what follows; never held while something runs
  struct cached {
    expected_set outputs;
    std::list<set_key>::iterator place;
  };
  std::map<set_key, cached> sets;
  std::list<set_key> newest_first;
  size_t cached_bytes = 0;
  std::map<case_key, std::shared_ptr<const calibration>> calibrations;
  std::map<case_key, size_t> pools;  // timed cases: a handful
  std::string oracle_artifact;       // for the extra processes of a pool

  impl(task t, std::string artifact, std::string b, runner& w, uint64_t s, std::vector<int> c, const defences& d)
    : of(std::move(t)),
      baseline(std::move(b)),
      with(w),
      seed(s),
      cpus(c),
      active(d),
      reference(of, artifact, w, std::move(c)),
      oracle_artifact(std::move(artifact)) {}

  static case_key key_of(const concrete_case& c) { return {c.index, c.sizes}; }
  uint64_t set_seed(const concrete_case& c, uint64_t set) const { return mix(mix(seed, c.index), set); }

  expected_set find(const set_key& key) {
    std::lock_guard lock(kept);
    auto at = sets.find(key);
    if (at == sets.end()) return nullptr;
    newest_first.splice(newest_first.begin(), newest_first, at->second.place);
    return at->second.outputs;
  }

  void keep(const set_key& key, const expected_set& outputs) {
    std::lock_guard lock(kept);
    if (sets.contains(key)) return;
    newest_first.push_front(key);
    sets[key] = {outputs, newest_first.begin()};
    cached_bytes += bytes_of(*outputs);
    while (cached_bytes > cached_bytes_max && newest_first.size() > 1) {
      auto oldest = sets.find(newest_first.back());
      cached_bytes -= bytes_of(*oldest->second.outputs);
      sets.erase(oldest);
      newest_first.pop_back();
    }
  }

  void fill(const concrete_case& c, uint64_t set, runner_session& session, size_t slot) const {
    auto view = of.read();
    size_t input = 0;
    for (auto tensor : view->getTensors()) {
      if (tensor.getRole() != wire::TensorRole::INPUT) continue;
      fill_values(session.input(slot, input), tensor.getElementType(), fill_of(*view, c, input),
                  tensor_key(set_seed(c, set), input));
      ++input;
    }
  }

  std::shared_ptr<const calibration> calibration_of(const case_key& key) const {
    std::lock_guard lock(kept);
    auto at = calibrations.find(key);
    return at == calibrations.end() ? nullptr : at->second;
  }

  std::vector<wire::ElementType> output_types() const {
    std::vector<wire::ElementType> types;
    auto view = of.read();
    for (auto tensor : view->getTensors())
      if (tensor.getRole() == wire::TensorRole::OUTPUT) types.push_back(tensor.getElementType());
    return types;
  }

  expected_set finished(output_values values, const calibration& measured) const {
    auto all = std::make_shared<std::vector<expected_output>>();
    for (size_t i = 0; i < values.size(); ++i) {
      auto allowed = active.tolerance ? measured.outputs[i].of(values[i]) : tolerance{0, usual_tolerance};
      all->push_back(
          {std::move(values[i]), allowed.relative, allowed.absolute, !active.all_zero_rule, !active.special_values});
    }
    return all;
  }

  /// These three with `working` held.
  result<size_t> fill_pool(const concrete_case& c, const calibration& measured, const cancel_flag& cancel);
  result<std::shared_ptr<const calibration>> calibrate(const concrete_case& c);
  result<double> run_baseline(const concrete_case& c, size_t count, const std::vector<output_values>& oracle,
                              std::vector<tolerance_estimate>& estimates);
};

result<double> case_bank::impl::run_baseline(const concrete_case& c, size_t count,
                                             const std::vector<output_values>& oracle,
                                             std::vector<tolerance_estimate>& estimates) {
  session_request request;
  request.artifact = std::as_bytes(std::span(baseline));
  request.layout = c.layout;
  request.layout.slots = std::min(count, slots_that_fit(c.layout));
  request.place = placement::cache_aligned;
  request.cpus = cpus;
  auto session = with.open(request);
  if (!session) return session.failure();
  double fastest = 0;
  auto call = [&](size_t slots) -> result<unit> {
    std::vector<uint32_t> order(slots);
    for (size_t i = 0; i < slots; ++i) order[i] = static_cast<uint32_t>(i);
    auto report = (*session)->call(order, baseline_call_seconds_max);
    if (!report) return report.failure();
    if (report->end != batch_end::done) {
      return error{errc::internal, "the reference as baseline failed in case " + c.name +
                                       ": it crashed, called exit or took longer than 30 s; see the task's reference"};
    }
    double once = report->seconds / static_cast<double>(slots);
    fastest = fastest == 0 ? once : std::min(fastest, once);
    return unit{};
  };
  size_t slots = request.layout.slots;
  for (size_t first = 0; first < count; first += slots) {
    size_t n = std::min(slots, count - first);
    for (size_t i = 0; i < n; ++i) fill(c, first + i, **session, i);
    if (auto called = call(n); !called) return called.failure();
    for (size_t i = 0; i < n; ++i)
      for (size_t o = 0; o < estimates.size(); ++o)
        estimates[o].add_baseline(oracle[first + i][o], (*session)->output(i, o));
  }
  // The first call of each slot touched its pages; a quick reference is timed once more without that.
  if (fastest < slow_call_seconds) {
    if (auto called = call(std::min(count, slots)); !called) return called.failure();
  }
  return fastest;
}

result<std::shared_ptr<const calibration>> case_bank::impl::calibrate(const concrete_case& c) {
  auto key = key_of(c);
  if (auto known = calibration_of(key)) return known;
  auto types = output_types();
  wire::ElementType arithmetic = of.read()->getElementType();
  auto made = std::make_shared<calibration>();
  for (auto type : types) made->outputs.emplace_back(type, arithmetic);

  size_t outputs = 0;
  for (size_t i = 0; i < types.size(); ++i) outputs += c.layout.output_bytes[i] / element_bytes(types[i]);
  size_t count = outputs >= many_elements ? 1 : outputs >= calibration_elements / 2 ? 2 : calibration_sets;
  size_t moved_sets = count <= 2 ? 1 : count;
  std::vector<output_values> oracle;
  for (size_t set = 0; set < count; ++set) {
    auto values = reference.run(c, set_seed(c, set), false);
    if (!values) return values.failure();
    oracle.push_back(std::move(*values));
    if (set >= moved_sets) continue;
    auto moved = reference.run(c, set_seed(c, set), true);
    if (!moved) return moved.failure();
    for (size_t o = 0; o < types.size(); ++o) made->outputs[o].add_perturbed(oracle[set][o], (*moved)[o]);
  }
  auto seconds = run_baseline(c, count, oracle, made->outputs);
  if (!seconds) return seconds.failure();
  made->seconds = *seconds;
  for (size_t set = 0; set < count; ++set) keep({key, set}, finished(std::move(oracle[set]), *made));
  std::lock_guard lock(kept);
  // Only drawn cases can be many, and each is used once.
  if (calibrations.size() >= calibrations_max) calibrations.clear();
  calibrations[key] = made;
  return std::shared_ptr<const calibration>(made);
}

case_bank::case_bank(task of, std::string oracle_artifact, std::string baseline_artifact, runner& with, uint64_t seed,
                     std::vector<int> cpus, const defences& active)
  : impl_(std::make_unique<impl>(std::move(of), std::move(oracle_artifact), std::move(baseline_artifact), with, seed,
                                 std::move(cpus), active)) {}

case_bank::~case_bank() = default;

const task& case_bank::of() const { return impl_->of; }
const defences& case_bank::active() const { return impl_->active; }
std::string_view case_bank::baseline() const { return impl_->baseline; }

std::vector<concrete_case> case_bank::listed_cases() const {
  std::vector<concrete_case> all;
  auto view = impl_->of.read();
  for (size_t i = 0; i < view->getCases().size(); ++i) {
    auto resolved = resolve_case(*view, i);
    check(resolved.ok(), "config/ refuses a task whose cases cannot be resolved");
    all.push_back(std::move(*resolved));
  }
  return all;
}

result<concrete_case> case_bank::case_named(std::string_view name) const {
  auto view = impl_->of.read();
  for (size_t i = 0; i < view->getCases().size(); ++i) {
    auto own = view->getCases()[static_cast<unsigned>(i)].getName();
    if (std::string_view(own.begin(), own.size()) == name) return resolve_case(*view, i);
  }
  return error{errc::not_found, "task " + std::string(view->getName().cStr()) + " has no case " + std::string(name)};
}

concrete_case case_bank::drawn_case(uint64_t draw) const {
  auto drawn = draw_case(*impl_->of.read(), mix(mix(impl_->seed, 0x647261776e), draw), draw % (1ull << 32));
  check(drawn.ok(), "config/ refuses a task whose drawn ranges are too large");
  return std::move(*drawn);
}

void case_bank::fill_inputs(const concrete_case& c, uint64_t set, runner_session& session, size_t slot) const {
  impl_->fill(c, impl_->active.fresh_inputs ? set : 0, session, slot);
}

result<expected_set> case_bank::expected(const concrete_case& c, uint64_t set) {
  if (!impl_->active.fresh_inputs) set = 0;
  set_key key{impl::key_of(c), set};
  if (auto have = impl_->find(key)) return have;
  std::lock_guard work(impl_->working);
  if (auto have = impl_->find(key)) return have;  // while this one waited
  auto measured = impl_->calibrate(c);
  if (!measured) return measured.failure();
  if (auto have = impl_->find(key)) return have;  // calibration computes the first sets
  auto values = impl_->reference.run(c, impl_->set_seed(c, set), false);
  if (!values) return values.failure();
  auto outputs = impl_->finished(std::move(*values), **measured);
  impl_->keep(key, outputs);
  return outputs;
}

result<size_t> case_bank::impl::fill_pool(const concrete_case& c, const calibration& measured,
                                          const cancel_flag& cancel) {
  auto start = clock::now();
  auto key = key_of(c);
  size_t bytes = 0;
  auto types = output_types();
  for (size_t i = 0; i < types.size(); ++i)
    bytes += c.layout.output_bytes[i] / element_bytes(types[i]) * sizeof(double);
  size_t most = std::clamp(pool_bytes_max / std::max<size_t>(bytes, 1), pool_sets_min, pool_sets_max);

  // Sets are claimed in order and a claimed set is finished, so those that are ready are the first ones.
  std::atomic<size_t> next{0};
  std::mutex failing;
  std::optional<error> failed;
  auto stop = [&](error why) {
    std::lock_guard lock(failing);
    if (!failed) failed = std::move(why);
  };
  auto work = [&](oracle& with_oracle) {
    while (true) {
      double spent = seconds_since(start);
      size_t done = next.load();
      if ((done >= pool_sets && spent > pool_seconds_extra) || (done >= pool_sets_min && spent > pool_seconds_max))
        return;
      if (cancel && cancel->load()) return stop({errc::cancelled, "preparing input sets was cancelled"});
      {
        std::lock_guard lock(failing);
        if (failed) return;
      }
      size_t set = next++;
      if (set >= most) return;
      if (find({key, set})) continue;
      auto values = with_oracle.run(c, set_seed(c, set), false);
      if (!values) return stop(values.failure());
      keep({key, set}, finished(std::move(*values), measured));
    }
  };
  // One process a CPU: nothing is timed here, and the first comparison waits for it.
  std::vector<std::unique_ptr<oracle>> others;
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(cpus.size(), pool_processes_max); ++i) {
    others.push_back(std::make_unique<oracle>(of, oracle_artifact, with, cpus));
    threads.emplace_back([&work, &one = *others.back()] { work(one); });
  }
  work(reference);
  for (auto& thread : threads) thread.join();
  reference.rest();
  if (failed) return *failed;
  return std::min(next.load(), most);
}

result<size_t> case_bank::prepare_timed_pool(const concrete_case& c, const cancel_flag& cancel) {
  std::lock_guard work(impl_->working);
  auto key = impl::key_of(c);
  if (auto have = impl_->pools.find(key); have != impl_->pools.end()) return have->second;
  auto measured = impl_->calibrate(c);
  if (!measured) return measured.failure();
  auto sets = impl_->fill_pool(c, **measured, cancel);
  if (sets) impl_->pools[key] = *sets;
  return sets;
}

result<double> case_bank::baseline_seconds(const concrete_case& c) {
  std::lock_guard work(impl_->working);
  auto measured = impl_->calibrate(c);
  if (!measured) return measured.failure();
  return (*measured)->seconds;
}

std::optional<double> case_bank::known_baseline_seconds(const concrete_case& c) const {
  auto known = impl_->calibration_of(impl::key_of(c));
  return known ? std::optional(known->seconds) : std::nullopt;
}

}  // namespace kope
