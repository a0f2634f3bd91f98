#include "actors/evaluation/paired_timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "actors/evaluation/concrete_cases.hpp"
#include "actors/evaluation/cpu_choice.hpp"
#include "actors/evaluation/played_pairs.hpp"
#include "actors/evaluation/statistics.hpp"
#include "actors/evaluation/timed_process.hpp"

namespace kope {

namespace {

using clock = std::chrono::steady_clock;

/// Pairs that a process has to be good for: starting anew takes 10 ms, 10 us a page of its slots and a warm-up, for
/// each.
constexpr size_t pairs_a_start = 5;
/// Of both processes in one comparison: forty pairs at the worst.
constexpr size_t starts_max = 20;
/// Disturbed pairs after which another CPU may be the better one.
constexpr size_t disturbed_pairs_a_start = 4;
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
/// Shorter batches are played in both orders for one pair: whoever comes second finds the CPU awake, which is worth 0.1
/// ms, 5 % of a batch that memory limits and of no matter in a long one.
constexpr double both_orders_below_seconds = 0.02;
/// Where slots are too few for 3 ms, twice both orders: timer ticks alone are 50 us every millisecond in a virtual
/// machine.
constexpr double twice_both_orders_below_seconds = 0.0025;
constexpr size_t rounds_usual = 2;
/// In a shorter batch the 20 us of CPU time that are free outside of the clock would pass for a difference that is
/// claimed.
constexpr double batch_seconds_rankable = 0.001;
constexpr size_t estimate_calls_max = 8;
constexpr size_t cache_line_bytes = 64;

/// The other half is for the kernel's own data.
size_t resident_bytes(uint32_t l2_bytes) { return l2_bytes / 2; }

/// Hands out input sets, each once: a process that meets one again could have kept the answer.
class set_dealer {
public:
  set_dealer(size_t pool, uint64_t first) : pool_(pool), first_(first) {}
  bool has(size_t n) const { return dealt_ + n <= pool_; }
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

/// Slots with which a start is good for so many pairs.
size_t useful_slots(const slot_layout& layout, size_t pool, double baseline_seconds, size_t pairs) {
  size_t fit = slots_that_fit(layout);
  double bytes = static_cast<double>(slot_bytes(layout));
  double quickest = std::max({baseline_seconds / speedup_expected_max, bytes / bytes_per_second_max, 1e-7});
  auto useful = static_cast<size_t>(std::ceil(batch_seconds / quickest));
  // The warm-up calls every slot once, and some more.
  size_t after_warm_up = std::max(pool, estimate_calls_max + 2) - estimate_calls_max - 1;
  size_t per_batch = std::max<size_t>(1, after_warm_up / (pairs * rounds_usual + 1));
  size_t slots = std::min({fit, useful, per_batch, pool, calls_max});
  return std::max(slots, std::min<size_t>({2, fit, pool / 4}));  // another slot each call, where there is room for two
}

/// Writes one word of each line of a slot's inputs, so that they are in this CPU's caches as if just filled: what the
/// first process of a pair read must not be nearer for the second one than it was for the first.
void write_again(std::span<std::byte> memory) {
  for (size_t at = 0; at < memory.size(); at += cache_line_bytes) {
    auto* byte = reinterpret_cast<volatile std::byte*>(memory.data() + at);
    *byte = *byte;
  }
}

class match {
public:
  match(runner& with, case_bank& bank, const concrete_case& timed, const timing_options& options,
        const cancel_flag& cancel)
    : with_(with), bank_(bank), timed_(timed), options_(options), cancel_(cancel) {}

  result<timing_result> play(std::span<const std::byte> old_artifact, std::span<const std::byte> new_artifact);

private:
  using side = std::optional<timed_process>;
  enum class ended : uint8_t { enough, out_of_time, out_of_sets, disturbed, too_short };

  bool cancelled() const { return cancel_ && cancel_->load(); }
  bool out_of_time() const {
    return std::chrono::duration<double>(clock::now() - begun_).count() > options_.seconds_max;
  }
  /// Two fresh processes and their warm-up, then pairs until `how` tells why no more.
  result<std::optional<fault>> play_fresh(std::span<const std::byte> old_artifact,
                                          std::span<const std::byte> new_artifact, ended& how);
  result<std::optional<fault>> open(side& into, std::span<const std::byte> artifact, runner_session* memory_of);
  /// Touches pages, checks everything once, finds out how many calls make a batch.
  result<std::optional<fault>> warm_up(set_dealer& sets);
  result<std::optional<fault>> play_pairs(set_dealer& sets, ended& how);
  std::optional<ended> reason_to_stop(const set_dealer& sets, size_t calls) const;
  /// `rounds_` batches of each, every other one in the other order; the ratio is kept unless one was disturbed.
  result<std::optional<fault>> play_pair(set_dealer& sets);
  void add_counters(const timed_batch& batch);
  /// Each set into another slot of the memory that both read, in an order that neither knows.
  filled_slots fill(std::vector<uint64_t> sets);
  void fill_again(const filled_slots& filled);
  /// A fault of the new one is a finding, of the old one an error.
  result<std::optional<fault>> whose(bool is_new, const fault& what) const;
  timing_result concluded(std::optional<fault> failed) const;

  runner& with_;
  case_bank& bank_;
  const concrete_case& timed_;
  const timing_options& options_;
  const cancel_flag& cancel_;
  clock::time_point begun_;
  size_t pool_ = 0, slots_ = 0, rounds_ = 1;
  std::vector<int> cpus_;
  side old_, new_;
  std::mt19937_64 random_{std::random_device{}()};
  played_pairs pairs_;
  size_t turns_ = 0, starts_ = 0;
  double seconds_[2] = {};  // of a call of old and new, as the first warm-up found
  double timed_seconds_ = 0;
  std::optional<batch_counters> counted_;  // in all batches of the new one that count
  double counted_calls_ = 0;
  double footprint_bytes_ = std::numeric_limits<double>::infinity();
  bool too_short_ = false;
  size_t disturbed_ = 0, disturbed_since_start_ = 0;
  double disturbed_seconds_ = 0;
  std::string note_;
};

result<std::optional<fault>> match::whose(bool is_new, const fault& what) const {
  if (is_new) return std::optional<fault>(what);
  return error{errc::internal, "the artifact that was verified before (" + options_.against + ") failed in case " +
                                   timed_.name + ": " + what.detail};
}

result<std::optional<fault>> match::open(side& into, std::span<const std::byte> artifact, runner_session* memory_of) {
  session_request request;
  request.artifact = artifact;
  request.layout = timed_.layout;
  request.layout.slots = slots_;
  request.place = placement::cache_aligned;
  request.cpus = cpus_;
  request.urgent = true;
  request.resident = options_.mode == wire::TimingMode::RESIDENT;
  request.memory_of = memory_of;
  auto session = with_.open(request);
  if (!session) {
    auto failed = fault_of_loading(session.failure());
    if (!failed) return session.failure();
    return whose(&into == &new_, *failed);
  }
  into.emplace(bank_, timed_, std::move(*session), slots_);
  return std::optional<fault>();
}

filled_slots match::fill(std::vector<uint64_t> sets) {
  filled_slots filled;
  filled.slots.resize(slots_);
  std::iota(filled.slots.begin(), filled.slots.end(), 0u);
  // A process that is confined to the first slot finds its set there.
  bool first_slot_first = old_->uses_only_first_slot() || new_->uses_only_first_slot();
  std::shuffle(filled.slots.begin() + (first_slot_first ? 1 : 0), filled.slots.end(), random_);
  filled.slots.resize(sets.size());
  filled.sets = std::move(sets);
  for (size_t i = 0; i < filled.slots.size(); ++i)
    bank_.fill_inputs(timed_, filled.sets[i], old_->session(), filled.slots[i]);
  return filled;
}

void match::fill_again(const filled_slots& filled) {
  for (uint32_t slot : filled.slots)
    for (size_t tensor = 0; tensor < timed_.layout.input_bytes.size(); ++tensor)
      write_again(old_->session().input(slot, tensor));
}

result<std::optional<fault>> match::warm_up(set_dealer& sets) {
  bool slow[2] = {false, false};  // old, new
  // After a restart it is known how long a call takes, and one call a slot is enough.
  bool known = seconds_[0] > 0 && seconds_[1] > 0 && std::max(seconds_[0], seconds_[1]) < slow_call_seconds;
  std::vector<size_t> batches = {1, slots_, std::min(slots_, estimate_calls_max)};
  if (known) batches = {slots_};
  for (size_t calls : batches) {
    if ((slow[0] && slow[1]) || !sets.has(calls)) break;
    auto filled = fill(sets.take(calls));
    for (bool is_new : {false, true}) {
      if (slow[is_new]) continue;
      if (cancelled()) return error{errc::cancelled, "timing was cancelled"};
      auto& process = is_new ? *new_ : *old_;
      fill_again(filled);
      auto batch = process.run(filled, calls, checking::all);
      if (!batch) return batch.failure();
      if (batch->failed) return whose(is_new, *batch->failed);
      timed_seconds_ += batch->seconds_per_call * static_cast<double>(calls);
      slow[is_new] = calls == 1 && batch->seconds_per_call >= slow_call_seconds;
      if (!known) seconds_[is_new] = batch->seconds_per_call;
      process.decide_calls(seconds_[is_new]);
    }
    if (calls != 1) continue;
    if (slow[0]) old_->use_only_first_slot();
    if (slow[1]) new_->use_only_first_slot();
    for (side* one : {&old_, &new_}) (*one)->set_calls((*one)->calls());
  }
  // Kernels of about the same speed make batches of the same sets; where one is far slower, it gets a part of them.
  size_t more = std::max(old_->calls(), new_->calls());
  double shortest = std::numeric_limits<double>::infinity(), longest = 0;
  for (side* one : {&old_, &new_}) {
    if (2 * (*one)->calls() >= more) (*one)->set_calls(more);
    double batch = static_cast<double>((*one)->calls()) * seconds_[one == &new_];
    shortest = std::min(shortest, batch);
    longest = std::max(longest, batch);
  }
  rounds_ = longest >= both_orders_below_seconds ? 1 : rounds_usual;
  bool enough_sets = pool_ >= slots_ + 2 * 2 * rounds_usual * more;
  if (rounds_ > 1 && shortest < twice_both_orders_below_seconds && enough_sets) rounds_ *= 2;
  too_short_ = shortest < batch_seconds_rankable;
  double bytes_a_call = 0;
  for (const auto* tensors : {&timed_.layout.input_bytes, &timed_.layout.output_bytes})
    for (size_t bytes : *tensors) bytes_a_call += static_cast<double>(bytes);
  footprint_bytes_ = std::min(footprint_bytes_, bytes_a_call * static_cast<double>(new_->calls()));
  return std::optional<fault>();
}

result<std::optional<fault>> match::play_pair(set_dealer& sets) {
  played_pair pair;
  std::vector<timed_batch> of_new;
  bool disturbed = false;
  for (size_t round = 0; round < rounds_; ++round) {
    auto filled = fill(sets.take(std::max(old_->calls(), new_->calls())));
    bool new_first = (turns_++ + 1) / 2 % 2 == 1;  // old new, new old, new old, old new, …
    for (bool is_new : {new_first, !new_first}) {
      auto& process = is_new ? *new_ : *old_;
      if (is_new != new_first) fill_again(filled);
      auto batch = process.run(filled, process.calls(), checking::sample);
      if (!batch) return batch.failure();
      if (batch->failed) return whose(is_new, *batch->failed);
      timed_seconds_ += batch->seconds_per_call * static_cast<double>(process.calls());
      auto calls = static_cast<double>(process.calls());
      (is_new ? pair.newer : pair.older).push_back({batch->seconds_per_call * calls, batch->unclocked_seconds, calls});
      disturbed |= batch->disturbed;
      if (is_new) of_new.push_back(*batch);
    }
  }
  if (disturbed && disturbed_ < disturbed_pairs_max &&
      disturbed_seconds_ < disturbed_share_max * options_.seconds_max) {
    ++disturbed_;
    ++disturbed_since_start_;
    for (const auto* batches : {&pair.older, &pair.newer})
      for (const auto& batch : *batches) disturbed_seconds_ += batch.seconds;
    return std::optional<fault>();
  }
  for (const auto& batch : of_new) add_counters(batch);
  pairs_.add(std::move(pair));
  return std::optional<fault>();
}

void match::add_counters(const timed_batch& batch) {
  if (!batch.counters) return;
  if (!counted_) counted_.emplace();
  counted_->cycles += batch.counters->cycles;
  counted_->instructions += batch.counters->instructions;
  counted_->cache_misses += batch.counters->cache_misses;
  counted_calls_ += static_cast<double>(new_->calls());
}

std::optional<match::ended> match::reason_to_stop(const set_dealer& sets, size_t calls) const {
  if (is_enough(interval_of(pairs_.log_ratios()), options_.precise)) return ended::enough;
  if (too_short_) return ended::too_short;
  if (out_of_time()) return ended::out_of_time;
  if (!sets.has(calls)) return ended::out_of_sets;
  if (disturbed_since_start_ >= disturbed_pairs_a_start) return ended::disturbed;
  return {};
}

result<std::optional<fault>> match::play_pairs(set_dealer& sets, ended& how) {
  size_t sets_a_pair = rounds_ * std::max(old_->calls(), new_->calls());
  for (;;) {
    if (cancelled()) return error{errc::cancelled, "timing was cancelled"};
    if (auto reason = reason_to_stop(sets, sets_a_pair)) {
      how = *reason;
      break;
    }
    auto failed = play_pair(sets);
    if (!failed || *failed) return failed;
  }
  return std::optional<fault>();
}

result<std::optional<fault>> match::play_fresh(std::span<const std::byte> old_artifact,
                                               std::span<const std::byte> new_artifact, ended& how) {
  new_.reset();
  side before = std::move(old_);  // its memory is used again: new pages cost 15 us each
  old_.reset();
  ++starts_;
  disturbed_since_start_ = 0;
  std::optional<stay_off> elsewhere;
  if (!options_.cpus.empty()) {
    cpus_ = {quickest_cpu(options_.cpus)};
    elsewhere.emplace(cpus_.front());
  }
  for (auto [into, artifact] : {std::pair{&old_, old_artifact}, std::pair{&new_, new_artifact}}) {
    auto failed = open(*into, artifact, into == &new_ ? &old_->session() : before ? &before->session() : nullptr);
    if (!failed || *failed) return failed;
  }
  before.reset();
  set_dealer sets(pool_, options_.first_set);
  auto failed = warm_up(sets);
  if (!failed || *failed) return failed;
  return play_pairs(sets, how);
}

timing_result match::concluded(std::optional<fault> failed) const {
  auto interval = interval_of(pairs_.log_ratios());
  timing_result found;
  found.compared = comparison::build([&](wire::Comparison::Builder c) {
    c.setRatio(interval.ratio);
    c.setLow(interval.low);
    c.setHigh(interval.high);
    c.setPairs(static_cast<uint32_t>(interval.pairs));
    c.setDecision(failed || too_short_ ? wire::Decision::UNDECIDED : decide(interval));
    c.setAgainst(options_.against);
    c.setMode(options_.mode);
    if (!pairs_.empty()) {
      c.setBaselineMicroseconds(pairs_.old_seconds() * 1e6);
      c.setCandidateMicroseconds(pairs_.new_seconds() * 1e6);
    }
  });
  found.disturbed_pairs = static_cast<uint32_t>(disturbed_);
  found.starts = static_cast<uint32_t>(starts_);
  found.timed_seconds = timed_seconds_;
  if (counted_)
    found.counters = batch_counters{counted_->cycles / counted_calls_, counted_->instructions / counted_calls_,
                                    counted_->cache_misses / counted_calls_};
  found.footprint_bytes = std::isfinite(footprint_bytes_) ? footprint_bytes_ : 0;
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
  pool_ = *pool;
  slots_ = useful_slots(timed_.layout, pool_, *baseline, pairs_a_start);
  size_t slots_most = useful_slots(timed_.layout, pool_, *baseline, 1);
  if (options_.mode == wire::TimingMode::RESIDENT) {
    if (auto why = objection_to_resident(timed_, options_.l2_bytes); !why.empty())
      return error{errc::invalid_input, why};
    size_t fit = resident_bytes(options_.l2_bytes) / slot_bytes(timed_.layout);
    slots_ = std::min(slots_, fit);
    slots_most = std::min(slots_most, fit);
  }

  begun_ = clock::now();
  for (;;) {
    size_t before = pairs_.size();
    ended how{};
    auto failed = play_fresh(old_artifact, new_artifact, how);
    if (!failed) return failed.failure();
    if (*failed) return concluded(*failed);
    if (how == ended::enough) break;
    if (how == ended::too_short && slots_ < slots_most) {
      slots_ = slots_most;  // more starts, but long enough
      new_.reset();
      old_.reset();
      continue;
    }
    if (how == ended::too_short)
      note_ = "too short to rank: a batch of all calls that the input sets allow ends within a millisecond";
    else if (how == ended::out_of_time)
      note_ = "time was up";
    // A start that brought no pair would bring none again, unless the CPU was taken meanwhile.
    else if (starts_ >= starts_max || (how == ended::out_of_sets && pairs_.size() == before && disturbed_ == 0))
      note_ = "input sets were used up";
    if (!note_.empty()) break;
  }
  return concluded({});
}

}  // namespace

std::string objection_to_resident(const concrete_case& timed, uint32_t l2_bytes) {
  if (l2_bytes == 0)
    return "this machine does not say how large its second cache level is, so nothing can be timed as resident in it";
  size_t bytes = slot_bytes(timed.layout);
  if (bytes <= resident_bytes(l2_bytes)) return "";
  return "one call of case " + timed.name + " works on " + std::to_string(bytes / 1024) +
         " KiB; resident timing is for half of the second cache level, " +
         std::to_string(resident_bytes(l2_bytes) / 1024) + " KiB: use --timing rotating";
}

result<timing_result> compare_artifacts(runner& with, case_bank& bank, const concrete_case& timed,
                                        std::span<const std::byte> old_artifact,
                                        std::span<const std::byte> new_artifact, const timing_options& options,
                                        const cancel_flag& cancel) {
  return match(with, bank, timed, options, cancel).play(old_artifact, new_artifact);
}

}  // namespace kope
