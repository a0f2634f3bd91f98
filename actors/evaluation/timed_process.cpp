#include "actors/evaluation/timed_process.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "actors/evaluation/call_deadline.hpp"

namespace kope {

namespace {

/// Being woken and stopped takes tens of microseconds of CPU time, of which 20 are free (played_pairs.hpp): 0.7 % of
/// this.
constexpr double batch_seconds_min = 0.003;
/// Elements that are always compared wholly: 1 to 2 ms.
constexpr size_t elements_checked_wholly = size_t{1} << 20;
constexpr size_t elements_sampled = 256;
/// Where a sample is taken, one batch of so many is compared wholly.
constexpr uint64_t batches_a_whole_check = 4;
/// Wall time without the CPU that a batch may have: the wake-up is in it (13 to 30 us), a preemption is milliseconds.
constexpr double lost_share_max = 0.02;
constexpr double lost_seconds_max = 60e-6;

}  // namespace

timed_process::timed_process(case_bank& bank, const concrete_case& timed, std::unique_ptr<runner_session> session,
                             size_t slots)
  : bank_(bank), timed_(timed), session_(std::move(session)), slots_(slots), random_(std::random_device{}()) {
  auto view = bank.of().read();
  for (auto tensor : view->getTensors())
    if (tensor.getRole() == wire::TensorRole::OUTPUT) types_.push_back(tensor.getElementType());
}

void timed_process::decide_calls(double seconds_per_call) {
  double wanted = std::ceil(batch_seconds_min / std::max(seconds_per_call, 1e-9));
  calls_ = static_cast<size_t>(std::clamp(wanted, 1.0, static_cast<double>(slots_)));
}

result<timed_batch> timed_process::run(const filled_slots& filled, size_t calls, checking how) {
  check(calls > 0 && calls <= filled.slots.size() && filled.slots.size() == filled.sets.size(),
        "a batch has at most one call a filled slot");
  auto baseline = bank_.baseline_seconds(timed_);
  if (!baseline) return baseline.failure();

  std::vector<size_t> order(calls);
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), random_);
  last_sets_.clear();
  last_slots_.clear();
  for (size_t i : order) {
    last_sets_.push_back(filled.sets[i]);
    last_slots_.push_back(filled.slots[i]);
  }
  if (!bank_.active().distinct_slots) {
    std::fill(last_sets_.begin(), last_sets_.end(), filled.sets.front());
    std::fill(last_slots_.begin(), last_slots_.end(), filled.slots.front());
  }

  poisons_.clear();
  for (auto type : types_) poisons_.push_back(make_poison(type, random_()));
  for (uint32_t slot : last_slots_)
    for (size_t o = 0; o < types_.size() && bank_.active().poison; ++o)
      write_poison(session_->output(slot, o), poisons_[o]);

  double deadline = call_deadline_seconds(*baseline, calls);
  auto report = session_->call(last_slots_, deadline);
  if (!report) return report.failure();
  timed_batch batch;
  batch.failed = fault_of(*report, deadline, session_->last_words());
  if (batch.failed) return batch;
  batch.counters = report->counters;
  batch.unclocked_seconds = report->unclocked_seconds;
  batch.seconds_per_call = report->seconds / static_cast<double>(calls);
  double lost = report->seconds - report->cpu_seconds;
  batch.disturbed = report->cpu_seconds > 0 && lost > lost_share_max * report->seconds + lost_seconds_max;
  auto found = look(how);
  if (!found) return found.failure();
  batch.failed = *found;
  return batch;
}

result<std::optional<fault>> timed_process::look(checking how) {
  size_t elements = 0;
  for (size_t o = 0; o < types_.size(); ++o) elements += session_->output(last_slots_[0], o).size() / 4;
  bool wholly = how == checking::all || elements * last_slots_.size() <= elements_checked_wholly ||
                random_() % batches_a_whole_check == 0;
  for (size_t i = 0; i < last_slots_.size(); ++i) {
    auto expected = bank_.expected(timed_, last_sets_[i]);
    if (!expected) return expected.failure();
    for (size_t o = 0; o < types_.size(); ++o) {
      auto got = session_->output(last_slots_[i], o);
      const auto& wanted = (**expected)[o];
      size_t samples = bank_.active().random_sample ? elements_sampled : 0;
      auto compared = !bank_.active().full_comparison ? compare_first(got, wanted, poisons_[o], first_elements)
                      : wholly                        ? compare_output(got, wanted, poisons_[o])
                                                      : compare_sample(got, wanted, poisons_[o], samples, random_());
      if (compared.first_bad) {
        return std::optional<fault>(fault{wire::OutcomeClass::WRONG_ANSWER, "while timed: " + compared.reason, false});
      }
    }
  }
  return std::optional<fault>();
}

}  // namespace kope
