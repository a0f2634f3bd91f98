#include "actors/profiler/profiling.hpp"

#include <chrono>

#include "actors/evaluation/paired_timing.hpp"
#include "actors/outcome_of.hpp"

namespace kope {
namespace {

using artifact_bytes = std::shared_ptr<const std::string>;

std::span<const std::byte> bytes_of(std::string_view artifact) { return std::as_bytes(std::span(artifact)); }

template <class List>
std::vector<std::string> texts(List list) {
  std::vector<std::string> all;
  for (auto text : list) all.emplace_back(text.cStr());
  return all;
}

class profiling {
public:
  profiling(const profiling_options& options, wire::Work::Reader content, const cancel_flag& cancel)
    : options_(options), content_(content), plan_(content.getPlan()), cancel_(cancel) {}

  outcome run() {
    auto begun = std::chrono::steady_clock::now();
    auto found = options_.banks->bank(std::string_view(plan_.getTask().cStr()));
    if (!found) return failed(found.failure());
    bank_ = *found;
    auto timed = bank_->case_named(std::string_view(plan_.getTimedCase().cStr()));
    if (!timed) return failed(timed.failure());
    auto pool = bank_->prepare_timed_pool(*timed, cancel_);
    if (!pool) return failed(pool.failure());

    auto candidate = candidate_artifact();
    if (!candidate) return failed(candidate.failure());
    auto id = attempt_id::parse(std::string_view(plan_.getHeader().getAttempt().cStr())).value_or(attempt_id{});
    bool final_measurement = plan_.getHeader().getNumber() == 0;

    auto rival = final_measurement ? result<opponent>(reference()) : incumbent(exploration_of(id));
    if (!rival) return failed(rival.failure());
    auto promotion = compare(*timed, *rival, **candidate);
    // A new best must win again in fresh processes, and that second result is what counts: of many candidates the one
    // that was lucky once would be taken, and its first ratio would be too good.
    if (!final_measurement && promotion && is_faster(*promotion)) promotion = compare(*timed, *rival, **candidate);
    if (!promotion) return failed(promotion.failure());
    if (promotion->fault != wire::OutcomeClass::IMPROVED)
      return outcome_of(content_, promotion->fault, wire::Stage::PROFILE, promotion->fault_detail);
    if (auto why = suspicion(*timed, *promotion); !why.empty()) {
      auto measured = with_profile(*promotion, {}, begun);
      return outcome_of(*measured.read(), wire::OutcomeClass::SUSPECT, wire::Stage::PROFILE, why);
    }

    std::optional<comparison> gain;
    if (!final_measurement) {
      auto against_parent = gain_over_parent(*timed, *rival, *promotion, **candidate);
      if (!against_parent) return failed(against_parent.failure());
      gain = *against_parent;
    }
    auto measured = with_profile(*promotion, gain, begun);
    auto decision = promotion->compared.read()->getDecision();
    auto result = wire::OutcomeClass::CORRECT_NOT_FASTER;
    if (decision == wire::Decision::FASTER) result = wire::OutcomeClass::IMPROVED;
    if (decision == wire::Decision::UNDECIDED) result = wire::OutcomeClass::UNDECIDED;
    // its lease ended meanwhile: the outcome is reported already, and nobody would know of this promotion
    if (cancel_ && cancel_->load()) return failed({errc::cancelled, "cancelled while it was measured"});
    if (!final_measurement) {
      if (result == wire::OutcomeClass::IMPROVED)
        options_.artifacts->promote(id, generation(), *candidate);
      else
        options_.artifacts->keep(id, *candidate);
    }
    return outcome_of(*measured.read(), result, wire::Stage::PROFILE,
                      result == wire::OutcomeClass::UNDECIDED ? promotion->note : "");
  }

private:
  struct opponent {
    std::string name;  // attempt id or "reference"
    artifact_bytes artifact;
  };

  outcome failed(const error& failure) const {
    return outcome_of(
        content_, failure.code == errc::cancelled ? wire::OutcomeClass::INTERRUPTED : wire::OutcomeClass::HARNESS_ERROR,
        wire::Stage::PROFILE, failure.what);
  }

  static bool is_faster(const timing_result& found) {
    return found.fault == wire::OutcomeClass::IMPROVED &&
           found.compared.read()->getDecision() == wire::Decision::FASTER;
  }

  work with_profile(const timing_result& promotion, const std::optional<comparison>& gain,
                    std::chrono::steady_clock::time_point begun) const {
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    return work::changed(content_, [&](wire::Work::Builder change) {
      auto profile = change.initProfile();
      profile.setPromotion(*promotion.compared.read());
      if (gain) profile.setGain(*gain->read());
      profile.setProfileSeconds(took.count());
      if (!promotion.counters) return;
      auto counters = profile.initCounters();
      counters.setCycles(promotion.counters->cycles);
      counters.setInstructions(promotion.counters->instructions);
      counters.setCacheMisses(promotion.counters->cache_misses);
    });
  }

  least_time least(const concrete_case& timed, const timing_result& found) const {
    if (!options_.limits) return {};
    auto of = bank_->of().read();
    return options_.limits->of(case_work_of(*of, timed.index), found.footprint_bytes);
  }

  /// Why this time cannot be; empty when it can. Limits are measured again before that is said.
  std::string suspicion(const concrete_case& timed, timing_result& found) const {
    double seconds = found.compared.read()->getCandidateMicroseconds() / 1e6;
    if (!options_.limits || found.compared.read()->getPairs() == 0) return "";
    auto of = bank_->of().read();
    auto why = options_.limits->suspicion(case_work_of(*of, timed.index), found.footprint_bytes, seconds);
    note_fraction(timed, found);  // of the limits as they are now
    return why;
  }

  void note_fraction(const concrete_case& timed, timing_result& found) const {
    auto allowed = least(timed, found);
    if (found.fault != wire::OutcomeClass::IMPROVED || allowed.seconds <= 0) return;
    found.compared = comparison::changed(*found.compared.read(), [&](wire::Comparison::Builder change) {
      double seconds = change.getCandidateMicroseconds() / 1e6;
      if (!(seconds > 0)) return;
      change.setFractionOfLimit(allowed.seconds / seconds);
      change.setLimitedBy(allowed.limited_by);
    });
  }

  uint32_t generation() const { return plan_.getHeader().getGeneration(); }

  opponent reference() const { return {"reference", std::make_shared<const std::string>(bank_->baseline())}; }

  result<artifact_bytes> built(std::string_view source, const std::vector<std::string>& flags) const {
    auto made = compile_candidate(*options_.banks->tools().with_compiler, *bank_->of().read(), source, flags);
    if (!made) return made.failure();
    auto view = made->read();
    if (!view->getSucceeded())
      return error{errc::internal, std::string("a source that was verified before does not compile any more: ") +
                                       view->getDiagnostics().cStr()};
    auto bytes = view->getArtifact();
    return std::make_shared<const std::string>(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
  }

  result<artifact_bytes> candidate_artifact() const {
    auto bytes = content_.getBuild().getArtifact();
    if (bytes.size() > 0)
      return std::make_shared<const std::string>(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
    auto candidate = content_.getCandidate();
    return built(std::string_view(candidate.getSource().cStr()), texts(candidate.getFlags()));
  }

  /// The one of this moment: what this stage promoted last, else what the plan says.
  result<opponent> incumbent(exploration_id exploration) const {
    if (auto promoted = options_.artifacts->incumbent(exploration, generation()))
      return opponent{promoted->attempt.text(), promoted->artifact};
    auto planned = plan_.getIncumbent();
    std::string name = planned.getAttempt().cStr();
    if (name.empty()) return reference();
    auto artifact = built(std::string_view(planned.getSource().cStr()), texts(planned.getFlags()));
    if (!artifact) return artifact.failure();
    options_.artifacts->promote(attempt_id::parse(name).value_or(attempt_id{}), generation(), *artifact);
    return opponent{std::move(name), *artifact};
  }

  result<timing_result> compare(const concrete_case& timed, const opponent& old, const std::string& artifact) const {
    const auto& tools = options_.banks->tools();
    timing_options options{.mode = tools.mode,
                           .l2_bytes = tools.l2_bytes,
                           .cpus = tools.cpus,
                           .precise = plan_.getHeader().getNumber() == 0,
                           .against = old.name};
    auto found = compare_artifacts(*tools.with_runner, *bank_, timed, bytes_of(*old.artifact), bytes_of(artifact),
                                   options, cancel_);
    if (found) note_fraction(timed, *found);
    return found;
  }

  /// Nothing when the parent's artifact is not known any more.
  result<std::optional<comparison>> gain_over_parent(const concrete_case& timed, const opponent& incumbent,
                                                     const timing_result& promotion,
                                                     const std::string& artifact) const {
    std::string parent = plan_.getParent().cStr();
    if (incumbent.name == (parent.empty() ? "reference" : parent)) return std::optional<comparison>{promotion.compared};
    opponent old = reference();
    if (!parent.empty()) {
      old = {parent, options_.artifacts->artifact(attempt_id::parse(parent).value_or(attempt_id{}))};
      if (!old.artifact) return std::optional<comparison>{};
    }
    auto compared = compare(timed, old, artifact);
    if (!compared) return compared.failure();
    if (compared->fault != wire::OutcomeClass::IMPROVED) return std::optional<comparison>{};
    return std::optional<comparison>{compared->compared};
  }

  const profiling_options& options_;
  wire::Work::Reader content_;
  wire::Plan::Reader plan_;
  const cancel_flag& cancel_;
  std::shared_ptr<case_bank> bank_;
};

}  // namespace

outcome profiled(const profiling_options& options, wire::Work::Reader content, const cancel_flag& cancel) {
  return profiling(options, content, cancel).run();
}

}  // namespace kope
