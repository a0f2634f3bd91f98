#include "actors/evaluation/verification.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "actors/evaluation/call_deadline.hpp"
#include "actors/evaluation/candidate_fault.hpp"
#include "actors/evaluation/case_packing.hpp"
#include "actors/evaluation/comparison.hpp"
#include "actors/evaluation/concrete_cases.hpp"

namespace kope {

namespace {

using clock = std::chrono::steady_clock;

/// Two sets of a case are run where that is cheap: a kernel that answers from one set's contents is wrong on the other.
constexpr uint64_t sets_of_small_case = 2;
constexpr double small_case_seconds = 0.05;
constexpr size_t small_case_bytes = size_t{8} << 20;

/// Cases of one verification that are repeated because their process got no CPU. A machine that busy twice within a
/// second or two is rare; a kernel that sleeps wherever it has seen another shape would have a process for each case.
constexpr int starved_max = 2;

class examination {
public:
  examination(runner& with, case_bank& bank, std::span<const std::byte> artifact, const verification_options& options,
              std::vector<case_step> steps)
    : with_(with),
      bank_(bank),
      artifact_(artifact),
      options_(options),
      steps_(std::move(steps)),
      random_(std::random_device{}()) {
    auto view = bank.of().read();
    for (auto tensor : view->getTensors())
      if (tensor.getRole() == wire::TensorRole::OUTPUT) types_.push_back(tensor.getElementType());
  }

  const std::vector<case_step>& steps() const { return steps_; }

  /// The first thing that is wrong with this step's case, or nothing. Steps are examined in their order, each once.
  result<std::optional<fault>> examine(size_t step) {
    auto found = once(step, false);
    if (!found || !*found || !(*found)->perhaps_starved || starved_ == starved_max) return found;
    // Starved of CPU: the machine's fault as likely as the candidate's, so it gets one more chance, with a process for
    // itself. What follows goes on in another one.
    ++starved_;
    found = once(step, true);
    session_.reset();
    return found;
  }

  double worst() const { return worst_; }

private:
  result<std::optional<fault>> once(size_t number, bool alone) {
    if (alone || !session_ || number >= end_step_) {
      auto opened = open(number, alone);
      if (!opened || *opened) return opened;
    }
    const auto& step = steps_[number];
    size_t first_slot = 0;
    for (size_t earlier = first_step_; earlier < number; ++earlier) first_slot += steps_[earlier].slots;

    auto baseline = bank_.baseline_seconds(step.of);
    if (!baseline) return baseline.failure();
    called_slots slots{first_slot, *baseline < small_case_seconds ? step.slots : 1, step.first_set};
    // Now and not earlier: no process holds the inputs of a case before it is called on them, and whatever it wrote to
    // the outputs in earlier cases is overwritten while it is frozen.
    auto poisons = write_poisons(slots);
    std::vector<uint32_t> order;
    for (uint64_t i = 0; i < slots.count; ++i) {
      bank_.fill_inputs(step.of, slots.first_set + i, *session_, slots.first + i);
      order.push_back(static_cast<uint32_t>(slots.first + i));
    }
    std::shuffle(order.begin(), order.end(), random_);
    double deadline = call_deadline_seconds(*baseline, slots.count);
    auto report = session_->call(order, deadline);
    if (!report) return report.failure();
    if (auto failed = fault_of(*report, deadline, session_->last_words())) return std::optional<fault>(failed);
    return compare(step.of, slots, poisons);
  }

  /// A process for the cases from `number` on: a fault when the artifact cannot be loaded.
  result<std::optional<fault>> open(size_t number, bool alone) {
    session_.reset();  // two of them would hold twice the memory
    for (size_t i = number; i < steps_.size(); ++i) steps_[i].slots = slots_of(steps_[i].of);
    auto left = std::span<const case_step>(steps_).subspan(number);
    alone |= !bank_.active().shared_process;
    first_step_ = number;
    end_step_ = number + (alone ? 1 : cases_of_process(left, number == 0));

    session_request request;
    request.artifact = artifact_;
    request.cpus = options_.cpus;
    for (size_t i = first_step_; i < end_step_; ++i) {
      slot_group group{steps_[i].of.layout, steps_[i].place};
      group.layout.slots = steps_[i].slots;
      if (i > first_step_) {
        request.further.push_back(std::move(group));
      } else {
        request.layout = std::move(group.layout);
        request.place = group.place;
      }
    }
    auto opened = with_.open(request);
    if (!opened) {
      if (auto failed = fault_of_loading(opened.failure())) return std::optional<fault>(failed);
      return opened.failure();
    }
    session_ = std::move(*opened);
    return std::optional<fault>();
  }

  /// What a case takes is not computed to know how many sets it gets: a candidate may fail long before it.
  uint64_t slots_of(const concrete_case& c) const {
    bool small =
        slot_bytes(c.layout) <= small_case_bytes && bank_.known_baseline_seconds(c).value_or(0) < small_case_seconds;
    return small ? sets_of_small_case : 1;
  }

  struct called_slots {
    size_t first;
    uint64_t count;
    uint64_t first_set;
  };

  std::vector<poison> write_poisons(const called_slots& slots) {
    std::vector<poison> poisons;
    for (auto type : types_) poisons.push_back(make_poison(type, random_()));
    if (!bank_.active().poison) return poisons;
    for (uint64_t i = 0; i < slots.count; ++i)
      for (size_t o = 0; o < types_.size(); ++o) write_poison(session_->output(slots.first + i, o), poisons[o]);
    return poisons;
  }

  result<std::optional<fault>> compare(const concrete_case& c, const called_slots& slots,
                                       const std::vector<poison>& poisons) {
    for (uint64_t i = 0; i < slots.count; ++i) {
      auto expected = bank_.expected(c, slots.first_set + i);
      if (!expected) return expected.failure();
      for (size_t o = 0; o < types_.size(); ++o) {
        auto got = session_->output(slots.first + i, o);
        const auto& wanted = (**expected)[o];
        auto compared = bank_.active().full_comparison ? compare_output(got, wanted, poisons[o])
                                                       : compare_first(got, wanted, poisons[o], first_elements);
        bool wrong = compared.first_bad.has_value();
        // How far off a secret case is would tell something about it.
        if (!wrong || !is_secret(c)) worst_ = std::max(worst_, compared.worst);
        if (wrong) return std::optional<fault>(fault{wire::OutcomeClass::WRONG_ANSWER, compared.reason, false});
      }
    }
    return std::optional<fault>();
  }

  runner& with_;
  case_bank& bank_;
  std::span<const std::byte> artifact_;
  const verification_options& options_;
  std::vector<case_step> steps_;
  std::unique_ptr<runner_session> session_;  // has memory for the steps from first_step_ on, below end_step_
  size_t first_step_ = 0, end_step_ = 0;
  int starved_ = 0;
  std::mt19937_64 random_;
  std::vector<wire::ElementType> types_;
  double worst_ = 0;
};

std::string feedback(const concrete_case& c, const fault& what, wire::Task::Reader task) {
  if (is_secret(c)) return "hidden case failed";
  std::string sizes;
  for (unsigned i = 0; i < c.sizes.size(); ++i) {
    sizes += (i ? ", " : "") + std::string(task.getSizes()[i].cStr()) + " = " + std::to_string(c.sizes[i]);
  }
  return "case " + c.name + " (" + sizes + "): " + what.detail;
}

}  // namespace

result<verdict> verify_artifact(runner& with, case_bank& bank, std::span<const std::byte> artifact,
                                const verification_options& options, const cancel_flag& cancel) {
  auto start = clock::now();
  auto seconds = [start] { return std::chrono::duration<double>(clock::now() - start).count(); };

  std::vector<case_step> steps;
  // What may be talked about first: a visible failure helps whoever repairs the candidate, a hidden one does not.
  const auto& active = bank.active();
  auto cases = bank.listed_cases();
  if (!active.hidden_cases) std::erase_if(cases, is_secret);
  std::stable_sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) {
    auto rank = [](wire::CaseKind kind) {
      return kind == wire::CaseKind::VISIBLE ? 0 : kind == wire::CaseKind::TIMED ? 1 : 2;
    };
    return rank(a.kind) < rank(b.kind);
  });
  // Before the other secret cases: a process that has met no other shape yet looks like one that is timed.
  if (active.hidden_cases) {
    std::vector<concrete_case> refilled;
    for (const auto& c : cases) {
      if (c.kind != wire::CaseKind::TIMED) continue;
      auto made = refilled_cases(*bank.of().read(), c);
      if (!made) return made.failure();
      refilled.insert(refilled.end(), made->begin(), made->end());
    }
    cases.insert(std::find_if(cases.begin(), cases.end(), is_secret), refilled.begin(), refilled.end());
  }
  auto end = active.guard_pages ? placement::end_aligned : placement::cache_aligned;
  auto start_of_room = active.guard_pages ? placement::start_aligned : placement::cache_aligned;
  for (auto& c : cases) steps.push_back({std::move(c), end});
  // Under-runs: the drawn case, whose sizes nobody chose, against the guard before it. On other inputs, because the
  // process may have kept the answers.
  auto last = active.drawn_shape ? bank.drawn_case(options.draw) : steps.front().of;
  if (active.drawn_shape) steps.push_back({last, end});
  steps.push_back({.of = std::move(last), .place = start_of_room, .first_set = sets_of_small_case});

  examination exam(with, bank, artifact, options, std::move(steps));
  uint32_t run = 0;
  auto conclude = [&](wire::OutcomeClass outcome, const std::string& detail) {
    return verdict::build([&](wire::Verdict::Builder v) {
      v.setOutcome(outcome);
      v.setDetail(detail);
      v.setCasesRun(run);
      v.setWorstError(exam.worst());
      v.setVerifySeconds(seconds());
      v.setLevel(with.level());
    });
  };
  for (size_t step = 0; step < exam.steps().size(); ++step) {
    if (cancel && cancel->load()) return error{errc::cancelled, "verification was cancelled"};
    if (seconds() > options.seconds_max) {
      char line[96];
      std::snprintf(line, sizeof line, "verification took longer than %.0f s", options.seconds_max);
      return conclude(wire::OutcomeClass::TIMED_OUT, line);
    }
    auto found = exam.examine(step);
    if (!found) return found.failure();
    ++run;
    if (*found) return conclude((*found)->outcome, feedback(exam.steps()[step].of, **found, *bank.of().read()));
  }
  return conclude(wire::OutcomeClass::CORRECT_NOT_FASTER, "");
}

}  // namespace kope
