#include "actors/planner/exploration_core.hpp"

#include <nlohmann/json.hpp>

namespace kope {
namespace {

constexpr std::string_view retry_prefix = "retry_of:";

bool retryable(wire::OutcomeClass outcome) {
  return outcome == wire::OutcomeClass::INTERRUPTED || outcome == wire::OutcomeClass::HARNESS_ERROR;
}

/// A variant that was verified or timed, or failed on the way there; copies and interrupted work cost the budget
/// nothing.
bool counts(wire::OutcomeClass outcome) {
  return outcome != wire::OutcomeClass::INTERRUPTED && outcome != wire::OutcomeClass::DUPLICATE;
}

}  // namespace

result<std::unique_ptr<exploration_core>> exploration_core::open(exploration_row row, parameter_space space,
                                                                 std::unique_ptr<policy> with, uint32_t incarnation,
                                                                 uint32_t generation) {
  auto id = exploration_id::parse(std::string_view(row.read()->getId().cStr()));
  if (!id || !*id) return error{errc::invalid_input, "an exploration row without an id cannot be explored"};
  std::unique_ptr<exploration_core> core(
      new exploration_core(std::move(row), std::move(space), std::move(with), incarnation, generation));
  auto view = core->row_.read();
  auto bytes = view->getPolicySnapshot();
  if (bytes.size() == 0) return core;
  std::string_view text(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
  auto state = nlohmann::json::parse(text, nullptr, false);
  try {
    core->incumbent_point_ = state.at("incumbent").get<point>();
    core->since_incumbent_ = state.value("since_incumbent", 0u);
    core->fraction_of_limit_ = state.value("fraction_of_limit", 0.0);
    for (auto& one : state.at("due"))
      core->due_.push_back(
          {one.at(0).get<point>(), one.at(1).get<std::string>(), one.at(2).get<std::vector<std::string>>()});
    auto restored = core->policy_->restore(state.at("policy").get<std::string>());
    if (!restored) return restored.failure();
  } catch (const std::exception& e) {
    return error{errc::invalid_input, "exploration " + id->text() + ": its snapshot cannot be read (" + e.what() +
                                          "); start another one with --new"};
  }
  return core;
}

exploration_core::exploration_core(exploration_row row, parameter_space space, std::unique_ptr<policy> with,
                                   uint32_t incarnation, uint32_t generation)
  : row_(std::move(row)),
    space_(std::move(space)),
    policy_(std::move(with)),
    incarnation_(incarnation),
    generation_(generation),
    random_(0) {
  auto view = row_.read();
  id_ = *exploration_id::parse(std::string_view(view->getId().cStr()));
  auto stored_state = hex_to_number(std::string_view(view->getRandomState().cStr()));
  random_ = random_source(stored_state ? *stored_state : view->getSpec().getSeed());
  next_number_ = std::max(view->getNextNumber(), 1u);
  spent_attempts_ = view->getSpentAttempts();
  covered_step_ = view->getCoveredStep();
  incumbent_ = attempt_id::parse(std::string_view(view->getIncumbent().cStr())).value_or(attempt_id{});
}

bool exploration_core::budget_left(double spent_seconds) const {
  auto spec = row_.read();
  return spent_attempts_ + in_flight_.size() < spec->getSpec().getAttempts() &&
         spent_seconds < spec->getSpec().getSeconds() &&
         next_number_ <= uint64_t{spec->getSpec().getAttempts()} * numbers_per_attempt_max;
}

std::optional<std::string> exploration_core::enough() const {
  auto view = row_.read();
  auto spec = view->getSpec();
  if (spec.getStopFraction() > 0 && fraction_of_limit_ >= spec.getStopFraction()) return "fraction of the limit";
  if (spec.getPlateau() > 0 && since_incumbent_ >= spec.getPlateau()) return "plateau";
  return std::nullopt;
}

uint32_t exploration_core::free_tickets(double spent_seconds) const {
  auto view = row_.read();
  auto spec = view->getSpec();
  auto flying = static_cast<uint32_t>(in_flight_.size());
  if (!stopped_.empty() || flying >= spec.getTickets() || !budget_left(spent_seconds) || enough()) return 0;
  return std::min(spec.getTickets() - flying, spec.getAttempts() - spent_attempts_ - flying);
}

std::optional<plan> exploration_core::next(double spent_seconds) {
  if (free_tickets(spent_seconds) == 0) return std::nullopt;
  auto view = row_.read();
  auto spec = view->getSpec();
  due proposed;
  if (!due_.empty()) {
    proposed = std::move(due_.front());
    due_.erase(due_.begin());
  } else {
    auto from_policy = policy_->next(random_);
    exhausted_ = !from_policy && in_flight_.empty();
    if (!from_policy) return std::nullopt;
    proposed = {std::move(from_policy->at), std::string(policy_->name()) + ":" + from_policy->reason, {}};
  }
  uint32_t number = next_number_++;
  auto id = make_attempt_id(id_, number);
  auto space = space_.read();
  auto made = plan::build([&](wire::Plan::Builder plan) {
    auto header = plan.initHeader();
    header.setAttempt(id.text());
    header.setExploration(id_.text());
    header.setNumber(number);
    header.setIncarnation(incarnation_);
    header.setGeneration(generation_);
    plan.setTask(spec.getTask());
    plan.setTimedCase(spec.getTimedCase());
    plan.setPhase(incumbent_ ? wire::Phase::REFINE : wire::Phase::DRAFT);
    plan.setAction("set_parameters");
    plan.setIntent(point_text(*space, proposed.at));
    plan.setParent(incumbent_.text());
    write_parameters(*space, proposed.at, plan.initParameters(static_cast<unsigned>(proposed.at.size())));
    plan.setChosenBy(proposed.reason);
    auto injected = plan.initInjected(static_cast<unsigned>(proposed.injected.size()));
    for (unsigned i = 0; i < injected.size(); ++i) injected.set(i, proposed.injected[i]);
    auto incumbent = plan.initIncumbent();
    incumbent.setAttempt(incumbent_.text());
    incumbent.setSource(incumbent_source_);
    auto flags = incumbent.initFlags(static_cast<unsigned>(incumbent_flags_.size()));
    for (unsigned i = 0; i < flags.size(); ++i) flags.set(i, incumbent_flags_[i]);
    plan.setSeed(static_cast<uint32_t>(random_() >> 32));
    plan.setToolchain(spec.getToolchain());
    plan.setTaskKey(spec.getTaskKey());
    plan.setTargetKey(spec.getTargetKey());
    plan.setToolchainKey(spec.getToolchainKey());
    plan.setCheck(spec.getCheck());
  });
  in_flight_.emplace(id.value, std::move(proposed.at));
  return made;
}

void exploration_core::begin_with(std::vector<std::pair<point, attempt_id>> recalled) {
  for (auto& [at, from] : recalled) due_.push_back({std::move(at), "memory:nearest", {from.text()}});
}

exploration_core::lesson exploration_core::learn(wire::Attempt::Reader attempt, double step) {
  lesson learned;
  auto header = attempt.getHeader();
  auto id = attempt_id::parse(std::string_view(header.getAttempt().cStr())).value_or(attempt_id{});
  auto flying = in_flight_.find(id.value);
  learned.ours = flying != in_flight_.end();
  if (learned.ours) in_flight_.erase(flying);
  if (step <= covered_step_) return learned;  // in the snapshot already
  covered_step_ = step;
  next_number_ = std::max(next_number_, header.getNumber() + 1);
  ++outcomes_since_row_;
  auto outcome = attempt.getOutcome();
  if (counts(outcome)) {
    ++spent_attempts_;
    ++since_incumbent_;
  }

  auto space = space_.read();
  auto at = point_of(*space, attempt.getParameters());
  if (!at) return learned;  // another coder's attempt, or a parameter that this version does not know
  bool was_retry = std::string_view(attempt.getChosenBy().cStr()).starts_with(retry_prefix);
  if (retryable(outcome) && !was_retry) {
    due again{*at, std::string(retry_prefix) + header.getAttempt().cStr(), {}};
    for (auto from : attempt.getInjected()) again.injected.emplace_back(from.cStr());
    due_.push_back(std::move(again));
  }
  if (outcome == wire::OutcomeClass::IMPROVED) {
    learned.new_incumbent = true;
    since_incumbent_ = 0;
    fraction_of_limit_ = attempt.getPromotion().getFractionOfLimit();
    incumbent_ = id;
    incumbent_point_ = *at;
  }
  if (outcome == wire::OutcomeClass::SUSPECT) {
    // that it was tried is all there is to know: its time cannot be
    auto untimed = parcel<wire::Attempt>::changed(attempt, [](wire::Attempt::Builder change) {
      change.disownPromotion();
      change.disownGain();
    });
    policy_->learn(*at, *untimed.read(), false);
  } else {
    policy_->learn(*at, attempt, learned.new_incumbent);
  }
  exhausted_ = false;
  return learned;
}

void exploration_core::set_incumbent_source(std::string source, std::vector<std::string> flags) {
  incumbent_source_ = std::move(source);
  incumbent_flags_ = std::move(flags);
}

std::optional<std::string> exploration_core::stop_reason(double spent_seconds) const {
  if (!in_flight_.empty()) return std::nullopt;
  if (!stopped_.empty()) return stopped_;
  if (auto why = enough()) return why;
  auto view = row_.read();
  auto spec = view->getSpec();
  if (spent_attempts_ >= spec.getAttempts()) return "attempts";
  if (spent_seconds >= spec.getSeconds()) return "seconds";
  if (next_number_ > uint64_t{spec.getAttempts()} * numbers_per_attempt_max)
    return "too many attempts without a result";
  if (exhausted_ && due_.empty()) return "nothing left to try";
  return std::nullopt;
}

void exploration_core::stop(std::string why) {
  if (stopped_.empty()) stopped_ = std::move(why);
}

exploration_row exploration_core::row(double spent_seconds, wire::ExplorationState state) {
  outcomes_since_row_ = 0;
  nlohmann::json snapshot;
  snapshot["policy"] = policy_->snapshot();
  snapshot["incumbent"] = incumbent_point_;
  snapshot["since_incumbent"] = since_incumbent_;
  snapshot["fraction_of_limit"] = fraction_of_limit_;
  snapshot["due"] = nlohmann::json::array();
  for (auto& one : due_) snapshot["due"].push_back({one.at, one.reason, one.injected});
  std::string bytes = snapshot.dump();
  check(bytes.size() <= policy_snapshot_bytes_max, "a policy's snapshot is at most 64 KiB");
  return exploration_row::changed(*row_.read(), [&](wire::Exploration::Builder row) {
    row.setState(state);
    row.setSpentSeconds(spent_seconds);
    row.setSpentAttempts(spent_attempts_);
    row.setNextNumber(next_number_);
    row.setRandomState(hex_of(random_.state()));
    row.setPolicySnapshot(kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
    row.setCoveredStep(covered_step_);
    row.setIncumbent(incumbent_.text());
  });
}

}  // namespace kope
