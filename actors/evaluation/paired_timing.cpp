#include "actors/evaluation/paired_timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "actors/evaluation/concrete_cases.hpp"
#include "actors/evaluation/cpu_choice.hpp"
#include "actors/evaluation/statistics.hpp"
#include "actors/evaluation/timed_process.hpp"

namespace kope {

namespace {

using clock = std::chrono::steady_clock;

/// A process sees a set at most twice: what it stored of the first time is too old to be worth keeping.
constexpr size_t uses_of_a_set = 2;
/// Pairs that a small pool has to be enough for, the warm-up counted as one: twice the fewest.
constexpr size_t pairs_wanted = 2 * pairs_min + 1;
/// Pairs thrown away because a process lost its CPU. More than this many and the machine is simply busy: then they
/// count, and the interval shows it. Nor may they take more than this share of the time: a slow kernel is hardly ever
/// left alone for a whole call.
constexpr size_t disturbed_pairs_max = 20;
constexpr double disturbed_share_max = 0.25;
/// First call above this: its pages (at most 16,000 of 6 us) are a small part of it, so it was the warm-up.
constexpr double slow_call_seconds = 0.02;
/// The best that can be expected of a candidate, to reserve no more slots than it can use: speed-up over a naive
/// reference, and bytes a second from the last cache.
constexpr double speedup_expected_max = 300;
constexpr double bytes_per_second_max = 60e9;
constexpr double batch_seconds = 0.003;
constexpr size_t estimate_calls_max = 8;

/// Hands out input sets in a circle, the same ones to both processes.
class set_dealer {
public:
  set_dealer(size_t pool, uint64_t first) : pool_(pool), first_(first) {}
  bool has(size_t n) const { return dealt_ + n <= uses_of_a_set * pool_; }
  std::vector<uint64_t> take(size_t n) {
    std::vector<uint64_t> sets(n);
    for (auto& set : sets) set = (first_ + dealt_++) % pool_;
    return sets;
  }

private:
  size_t pool_;
  uint64_t first_;
  size_t dealt_ = 0;
};

size_t useful_slots(const slot_layout& layout, size_t pool, double baseline_seconds) {
  size_t fit = slots_that_fit(layout);
  double bytes = static_cast<double>(slot_bytes(layout));
  double quickest = std::max({baseline_seconds / speedup_expected_max, bytes / bytes_per_second_max, 1e-7});
  auto useful = static_cast<size_t>(std::ceil(batch_seconds / quickest));
  size_t per_batch = std::max<size_t>(1, uses_of_a_set * pool / pairs_wanted);
  size_t slots = std::min({fit, useful, per_batch, pool, calls_max});
  return std::max(slots, std::min<size_t>({2, fit, pool}));  // another slot each call, where there is room for two
}

class match {
public:
  match(runner& with, case_bank& bank, const concrete_case& timed, const timing_options& options,
        const cancel_flag& cancel)
    : with_(with), bank_(bank), timed_(timed), options_(options), cancel_(cancel) {}

  result<timing_result> play(std::span<const std::byte> old_artifact, std::span<const std::byte> new_artifact);

private:
  using side = std::optional<timed_process>;

  bool cancelled() const { return cancel_ && cancel_->load(); }
  result<std::optional<fault>> open(side& into, std::span<const std::byte> artifact, size_t slots);
  /// Touches pages, checks everything once, finds out how many calls make a batch.
  result<std::optional<fault>> warm_up(set_dealer& sets);
  result<std::optional<fault>> play_pairs(set_dealer& sets);
  /// One batch of each; the ratio is kept unless one was disturbed.
  result<std::optional<fault>> play_pair(std::span<const uint64_t> sets, bool new_first);
  /// A fault of the new one is a finding, of the old one an error.
  result<std::optional<fault>> whose(bool is_new, const fault& what) const;
  timing_result concluded(std::optional<fault> failed) const;

  runner& with_;
  case_bank& bank_;
  const concrete_case& timed_;
  const timing_options& options_;
  const cancel_flag& cancel_;
  std::vector<int> cpus_;
  side old_, new_;
  std::vector<double> log_ratios_, old_seconds_, new_seconds_;
  size_t disturbed_ = 0;
  double disturbed_seconds_ = 0;
  std::string note_;
};

result<std::optional<fault>> match::whose(bool is_new, const fault& what) const {
  if (is_new) return std::optional<fault>(what);
  return error{errc::internal, "the artifact that was verified before (" + options_.against + ") failed in case " +
                                   timed_.name + ": " + what.detail};
}

result<std::optional<fault>> match::open(side& into, std::span<const std::byte> artifact, size_t slots) {
  session_request request;
  request.artifact = artifact;
  request.layout = timed_.layout;
  request.layout.slots = slots;
  request.place = placement::cache_aligned;
  request.cpus = cpus_;
  request.urgent = true;
  if (&into == &new_) request.inputs_of = &old_->session();
  auto session = with_.open(request);
  if (!session) {
    auto failed = fault_of_loading(session.failure());
    if (!failed) return session.failure();
    return whose(&into == &new_, *failed);
  }
  into.emplace(bank_, timed_, std::move(*session), slots);
  return std::optional<fault>();
}

result<std::optional<fault>> match::warm_up(set_dealer& sets) {
  size_t slots = new_->usable_slots();
  auto first = sets.take(1);
  auto second = sets.take(slots);
  auto third = sets.take(std::min(slots, estimate_calls_max));
  for (side* one : {&old_, &new_}) {
    auto& process = **one;
    for (const auto* batch_sets : {&first, &second, &third}) {
      if (cancelled()) return error{errc::cancelled, "timing was cancelled"};
      auto batch = process.run(*batch_sets, checking::all);
      if (!batch) return batch.failure();
      if (batch->failed) return whose(one == &new_, *batch->failed);
      if (batch_sets == &first && batch->seconds_per_call >= slow_call_seconds) {
        process.use_only_first_slot();
        process.decide_calls(batch->seconds_per_call);
        break;
      }
      process.decide_calls(batch->seconds_per_call);
    }
  }
  // Kernels of about the same speed make batches of the same sets; where one is far slower, it gets a part of them.
  size_t more = std::max(old_->calls(), new_->calls());
  for (side* one : {&old_, &new_}) {
    if (2 * (*one)->calls() >= more) (*one)->set_calls(more);
  }
  return std::optional<fault>();
}

result<std::optional<fault>> match::play_pair(std::span<const uint64_t> sets, bool new_first) {
  timed_batch batches[2];  // old, new
  for (bool is_new : {new_first, !new_first}) {
    auto& process = is_new ? *new_ : *old_;
    auto batch = process.run(sets.first(process.calls()), checking::sample);
    if (!batch) return batch.failure();
    if (batch->failed) return whose(is_new, *batch->failed);
    batches[is_new] = *batch;
  }
  if ((batches[0].disturbed || batches[1].disturbed) && disturbed_ < disturbed_pairs_max &&
      disturbed_seconds_ < disturbed_share_max * options_.seconds_max) {
    ++disturbed_;
    for (bool is_new : {false, true})
      disturbed_seconds_ += batches[is_new].seconds_per_call * static_cast<double>((is_new ? *new_ : *old_).calls());
    return std::optional<fault>();
  }
  old_seconds_.push_back(batches[0].seconds_per_call);
  new_seconds_.push_back(batches[1].seconds_per_call);
  log_ratios_.push_back(std::log(batches[0].seconds_per_call / batches[1].seconds_per_call));
  return std::optional<fault>();
}

result<std::optional<fault>> match::play_pairs(set_dealer& sets) {
  auto start = clock::now();
  size_t calls = std::max(old_->calls(), new_->calls());
  for (size_t turn = 0; !is_enough(interval_of(log_ratios_), options_.precise); ++turn) {
    if (cancelled()) return error{errc::cancelled, "timing was cancelled"};
    if (std::chrono::duration<double>(clock::now() - start).count() > options_.seconds_max) {
      note_ = "time was up";
      break;
    }
    if (!sets.has(calls)) {
      note_ = "input sets were used up";
      break;
    }
    auto failed = play_pair(sets.take(calls), turn % 2 == 1);  // old new, new old, old new, …
    if (!failed || *failed) return failed;
  }
  for (side* one : {&old_, &new_}) {
    auto found = (*one)->check_last();
    if (!found) return found.failure();
    if (*found) return whose(one == &new_, **found);
  }
  return std::optional<fault>();
}

timing_result match::concluded(std::optional<fault> failed) const {
  auto interval = interval_of(log_ratios_);
  timing_result found;
  found.compared = comparison::build([&](wire::Comparison::Builder c) {
    c.setRatio(interval.ratio);
    c.setLow(interval.low);
    c.setHigh(interval.high);
    c.setPairs(static_cast<uint32_t>(interval.pairs));
    c.setDecision(failed ? wire::Decision::UNDECIDED : decide(interval));
    c.setAgainst(options_.against);
    c.setMode(wire::TimingMode::ROTATING);
    if (!old_seconds_.empty()) {
      c.setBaselineMicroseconds(median(old_seconds_) * 1e6);
      c.setCandidateMicroseconds(median(new_seconds_) * 1e6);
    }
  });
  found.disturbed_pairs = static_cast<uint32_t>(disturbed_);
  found.note = note_;
  if (failed) {
    found.fault = failed->outcome;
    found.fault_detail = std::move(failed->detail);
  }
  return found;
}

result<timing_result> match::play(std::span<const std::byte> old_artifact, std::span<const std::byte> new_artifact) {
  auto pool = bank_.prepare_timed_pool(timed_, cancel_);
  if (!pool) return pool.failure();
  auto baseline = bank_.baseline_seconds(timed_);
  if (!baseline) return baseline.failure();

  std::optional<stay_off> elsewhere;
  if (!options_.cpus.empty()) {
    cpus_ = {quickest_cpu(options_.cpus)};
    elsewhere.emplace(cpus_.front());
  }
  size_t slots = useful_slots(timed_.layout, *pool, *baseline);
  set_dealer sets(*pool, options_.first_set);
  for (auto [into, artifact] : {std::pair{&old_, old_artifact}, std::pair{&new_, new_artifact}}) {
    auto failed = open(*into, artifact, slots);
    if (!failed) return failed.failure();
    if (*failed) return concluded(*failed);
  }
  auto failed = warm_up(sets);
  if (!failed) return failed.failure();
  if (!*failed) failed = play_pairs(sets);
  if (!failed) return failed.failure();
  return concluded(*failed);
}

}  // namespace

result<timing_result> compare_artifacts(runner& with, case_bank& bank, const concrete_case& timed,
                                        std::span<const std::byte> old_artifact,
                                        std::span<const std::byte> new_artifact, const timing_options& options,
                                        const cancel_flag& cancel) {
  return match(with, bank, timed, options, cancel).play(old_artifact, new_artifact);
}

}  // namespace kope
