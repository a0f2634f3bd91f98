#include "actors/evaluation/verification.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include "actors/evaluation/call_deadline.hpp"
#include "actors/evaluation/candidate_fault.hpp"
#include "actors/evaluation/comparison.hpp"
#include "actors/evaluation/concrete_cases.hpp"

namespace kope {

namespace {

using clock = std::chrono::steady_clock;

/// Two sets of a case are run where that is cheap: a kernel that answers from one set's contents is wrong on the other.
constexpr uint64_t sets_of_small_case = 2;
constexpr double small_case_seconds = 0.05;
constexpr size_t small_case_bytes = size_t{8} << 20;

bool is_secret(const concrete_case& c) { return c.kind == wire::CaseKind::HIDDEN; }

class examination {
public:
  examination(runner& with, case_bank& bank, std::span<const std::byte> artifact, const verification_options& options)
    : with_(with), bank_(bank), artifact_(artifact), options_(options), random_(std::random_device{}()) {
    auto view = bank.of().read();
    for (auto tensor : view->getTensors())
      if (tensor.getRole() == wire::TensorRole::OUTPUT) types_.push_back(tensor.getElementType());
  }

  /// The first thing that is wrong with this case, or nothing.
  result<std::optional<fault>> examine(const concrete_case& c, placement place) {
    auto found = once(c, place);
    // Starved of CPU: the machine's fault as likely as the candidate's, so it gets one more chance.
    if (found && *found && (*found)->perhaps_starved) found = once(c, place);
    return found;
  }

  double worst() const { return worst_; }

private:
  result<std::optional<fault>> once(const concrete_case& c, placement place) {
    auto baseline = bank_.baseline_seconds(c);
    if (!baseline) return baseline.failure();
    bool small = *baseline < small_case_seconds && slot_bytes(c.layout) <= small_case_bytes;
    uint64_t sets = small ? sets_of_small_case : 1;

    session_request request;
    request.artifact = artifact_;
    request.layout = c.layout;
    request.layout.slots = sets;
    request.place = place;
    request.cpus = options_.cpus;
    auto opened = with_.open(request);
    if (!opened) {
      if (auto failed = fault_of_loading(opened.failure())) return std::optional<fault>(failed);
      return opened.failure();
    }
    auto& session = **opened;
    auto poisons = write_poisons(session, sets);
    std::vector<uint32_t> order;
    for (uint64_t set = 0; set < sets; ++set) {
      bank_.fill_inputs(c, set, session, set);
      order.push_back(static_cast<uint32_t>(set));
    }
    std::shuffle(order.begin(), order.end(), random_);
    double deadline = call_deadline_seconds(*baseline, sets);
    auto report = session.call(order, deadline);
    if (!report) return report.failure();
    if (auto failed = fault_of(*report, deadline, session.last_words())) return std::optional<fault>(failed);
    return compare(c, session, sets, poisons);
  }

  std::vector<poison> write_poisons(runner_session& session, uint64_t sets) {
    std::vector<poison> poisons;
    for (auto type : types_) poisons.push_back(make_poison(type, random_()));
    if (!bank_.active().poison) return poisons;
    for (uint64_t set = 0; set < sets; ++set)
      for (size_t o = 0; o < types_.size(); ++o) write_poison(session.output(set, o), poisons[o]);
    return poisons;
  }

  result<std::optional<fault>> compare(const concrete_case& c, runner_session& session, uint64_t sets,
                                       const std::vector<poison>& poisons) {
    for (uint64_t set = 0; set < sets; ++set) {
      auto expected = bank_.expected(c, set);
      if (!expected) return expected.failure();
      for (size_t o = 0; o < types_.size(); ++o) {
        auto got = session.output(set, o);
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

  struct step {
    concrete_case of;
    placement place;
  };
  std::vector<step> steps;
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
  auto end = active.guard_pages ? placement::end_aligned : placement::cache_aligned;
  auto start_of_room = active.guard_pages ? placement::start_aligned : placement::cache_aligned;
  for (auto& c : cases) steps.push_back({std::move(c), end});
  // Under-runs: the drawn case, whose sizes nobody chose, against the guard before it.
  auto last = active.drawn_shape ? bank.drawn_case(options.draw) : steps.front().of;
  if (active.drawn_shape) steps.push_back({last, end});
  steps.push_back({std::move(last), start_of_room});

  examination exam(with, bank, artifact, options);
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
  for (const auto& step : steps) {
    if (cancel && cancel->load()) return error{errc::cancelled, "verification was cancelled"};
    if (seconds() > options.seconds_max) {
      char line[96];
      std::snprintf(line, sizeof line, "verification took longer than %.0f s", options.seconds_max);
      return conclude(wire::OutcomeClass::TIMED_OUT, line);
    }
    auto found = exam.examine(step.of, step.place);
    if (!found) return found.failure();
    ++run;
    if (*found) return conclude((*found)->outcome, feedback(step.of, **found, *bank.of().read()));
  }
  return conclude(wire::OutcomeClass::CORRECT_NOT_FASTER, "");
}

}  // namespace kope
