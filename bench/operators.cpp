#include "bench/operators.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "actors/evaluation/cpu_choice.hpp"
#include "actors/evaluation/verification.hpp"
#include "bench/exploring_anew.hpp"
#include "bench/flag_sets.hpp"
#include "bench/peers.hpp"
#include "bench/text_table.hpp"
#include "daemon/device_limits.hpp"
#include "daemon/exploring.hpp"

namespace kope::bench {
namespace {

/// What each operator is held to, in the order of the table.
struct wanted_row {
  const char* task;
  double against_reference;  ///< 0: nothing is promised
  double against_peer;       ///< the best of them
};
constexpr wanted_row wanted[] = {{"matmul", 100, 0.9},   {"sum", 4, 0.9},           {"softmax", 8, 0.9},
                                 {"add", 0, 0.9},        {"gelu", 45, 0.9},         {"layer_norm", 3, 0.9},
                                 {"transpose", 15, 0.9}, {"batched_matmul", 0, 0.9}};
/// Of the winners over the best peers.
constexpr double peers_geomean_wanted = 1.1;

double ratio_of(const comparison& compared) { return compared.read()->getRatio(); }

/// Old and new change places.
comparison turned_round(const comparison& compared) {
  return comparison::changed(*compared.read(), [&](wire::Comparison::Builder turned) {
    auto was = compared.read();
    turned.setRatio(1 / was->getRatio());
    turned.setLow(1 / was->getHigh());
    turned.setHigh(1 / was->getLow());
    turned.setBaselineMicroseconds(was->getCandidateMicroseconds());
    turned.setCandidateMicroseconds(was->getBaselineMicroseconds());
    turned.setDecision(was->getDecision() == wire::Decision::FASTER   ? wire::Decision::SLOWER
                       : was->getDecision() == wire::Decision::SLOWER ? wire::Decision::FASTER
                                                                      : was->getDecision());
  });
}

class measuring {
public:
  measuring(workplace& at, operator_result& into) : at_(at), into_(into) {}
  result<unit> run();

private:
  result<unit> explore();
  result<unit> meet_peers();
  result<unit> meet_peer(const peer& rival);
  result<unit> meet_reference();
  result<unit> try_flags();
  /// An error when the new one fails: all that come here were verified or are a library.
  result<comparison> compare(std::string_view old_artifact, std::string_view new_artifact, const std::string& against);

  workplace& at_;
  operator_result& into_;
  std::shared_ptr<case_bank> bank_;
  concrete_case timed_;
  std::vector<int> cpus_;
  std::optional<build> winner_;
};

result<comparison> measuring::compare(std::string_view old_artifact, std::string_view new_artifact,
                                      const std::string& against) {
  auto found = at_.compare(*bank_, timed_, {old_artifact, new_artifact, against, cpus_});
  if (!found) return found.failure();
  if (found->fault != wire::OutcomeClass::IMPROVED)
    return error{errc::internal, "compared with " + against + ": " + found->fault_detail};
  into_.least = at_.limits().of(case_work_of(*at_.task_of(into_.task).read(), static_cast<size_t>(timed_.index)),
                                found->footprint_bytes);
  say(into_.task + ": " + comparison_text(*found->compared.read()) + " against " + against +
      (found->note.empty() ? "" : ", " + found->note) + ", " + std::to_string(found->disturbed_pairs) +
      " pairs disturbed");
  return found->compared;
}

result<unit> measuring::explore() {
  auto found = explore_anew(at_, into_.task, into_.timed_case, at_.request().attempts, at_.request().seconds);
  if (!found) return found.failure();
  auto row = found->row.read();
  into_.attempts = row->getSpentAttempts();
  into_.explored_seconds = row->getSpentSeconds();
  into_.stop_reason = row->getStopReason().cStr();
  into_.seed = row->getSpec().getSeed();
  into_.as_explored = comparison::copy_of(row->getSpeedup());
  into_.winner_source = found->source;
  into_.winner_parameters = found->parameters;
  if (found->source.empty()) return unit{};
  auto built = compile_candidate(*at_.tools().tool, *at_.task_of(into_.task).read(), found->source, found->flags);
  if (!built) return built.failure();
  if (!built->read()->getSucceeded())
    return error{errc::internal,
                 std::string("the winner does not compile any more: ") + built->read()->getDiagnostics().cStr()};
  winner_ = std::move(*built);
  return unit{};
}

result<unit> measuring::meet_peers() {
  auto peers = compile_peers(at_, into_.task);
  if (!peers) return peers.failure();
  for (auto& rival : *peers) {
    auto met = meet_peer(rival);
    if (!met) return met;
  }
  return unit{};
}

result<unit> measuring::meet_peer(const peer& rival) {
  peer_result met{.library = rival.library, .about = rival.about};
  if (rival.artifact && winner_) {
    // The peer is the new one: a library that computes something else is a fact to tell, not our error.
    auto found = at_.compare(*bank_, timed_,
                             {.old_artifact = bytes_of(*winner_),
                              .new_artifact = bytes_of(*rival.artifact),
                              .against = "the winner",
                              .cpus = cpus_,
                              .library = true});
    if (!found) return found.failure();
    if (found->fault != wire::OutcomeClass::IMPROVED)
      met.refused = found->fault_detail;
    else if (found->compared.read()->getPairs() == 0)
      met.refused = "not measured: " + found->note;
    else
      met.against = turned_round(found->compared);
    say(into_.task + ": " + (met.against ? comparison_text(*met.against->read()) : met.refused) + " against " +
        met.library);
  }
  bool best = met.against && (!into_.best_peer || ratio_of(*met.against) < ratio_of(*against_best_peer(into_)));
  if (best) into_.best_peer = into_.peers.size();
  into_.peers.push_back(std::move(met));
  return unit{};
}

result<unit> measuring::meet_reference() {
  if (!winner_) return unit{};
  auto compared = compare(bank_->baseline(), bytes_of(*winner_), "the reference");
  if (!compared) return compared.failure();
  into_.speedup = *compared;
  return unit{};
}

result<unit> measuring::try_flags() {
  std::vector<build> artifacts;
  for (const auto& flags : flag_sets()) {
    std::string name;
    for (const auto& flag : flags) name += (name.empty() ? "" : " ") + flag;
    auto built = compile_reference(at_, into_.task, flags);
    if (!built) return built.failure();
    artifacts.push_back(*built);
    auto verdict = verify_artifact(*at_.tools().with_runner, *bank_, std::as_bytes(std::span(bytes_of(*built))),
                                   {.cpus = cpus_, .draw = std::random_device{}()}, nullptr);
    if (!verdict) return verdict.failure();
    if (verdict->read()->getOutcome() != wire::OutcomeClass::CORRECT_NOT_FASTER) {
      into_.flags.push_back({.flags = flags, .refused = verdict->read()->getDetail().cStr()});
      say(into_.task + ": " + name + ": " + into_.flags.back().refused);
      continue;
    }
    auto found = at_.compare(*bank_, timed_, {bank_->baseline(), bytes_of(*built), "reference", cpus_});
    if (!found) return found.failure();
    flags_result tried{.flags = flags, .against_reference = found->compared, .refused = found->fault_detail};
    say(into_.task + ": " + name + ": " +
        (tried.refused.empty() ? comparison_text(*found->compared.read()) : tried.refused));
    bool counts = tried.refused.empty() && found->fault == wire::OutcomeClass::IMPROVED;
    if (counts && (!into_.best_flags ||
                   ratio_of(tried.against_reference) > ratio_of(into_.flags[*into_.best_flags].against_reference)))
      into_.best_flags = into_.flags.size();
    into_.flags.push_back(std::move(tried));
  }
  if (!winner_ || !into_.best_flags) return unit{};
  auto compared = compare(bytes_of(artifacts[*into_.best_flags]), bytes_of(*winner_), "the best flags");
  if (!compared) return compared.failure();
  into_.against_flags = *compared;
  return unit{};
}

result<unit> measuring::run() {
  auto of = at_.task_of(into_.task).read();
  auto first = timed_case_of(at_.task_of(into_.task), "");
  if (!first) return first.failure();
  into_.timed_case = *first;
  into_.load_before = load_of_last_minute();
  auto explored = explore();
  if (!explored) return explored.failure();

  auto bank = at_.tools().banks->bank(into_.task);
  if (!bank) return bank.failure();
  bank_ = *bank;
  auto timed = bank_->case_named(into_.timed_case);
  if (!timed) return timed.failure();
  timed_ = *timed;
  auto described = of->getCases()[static_cast<unsigned>(timed_.index)];
  into_.flops = described.getFlops();
  into_.bytes = described.getBytesMin();
  into_.cpu = quickest_cpu(at_.tools().cpus);
  cpus_ = {into_.cpu};
  for (auto part : {&measuring::meet_reference, &measuring::try_flags, &measuring::meet_peers}) {
    auto done = (this->*part)();
    if (!done) return done.failure();
  }
  into_.load_after = load_of_last_minute();
  return unit{};
}

}  // namespace

double reference_microseconds(const operator_result& of) {
  if (of.speedup) return of.speedup->read()->getBaselineMicroseconds();
  return of.flags.empty() ? 0 : of.flags.front().against_reference.read()->getBaselineMicroseconds();
}

double winner_microseconds(const operator_result& of) {
  return of.speedup ? of.speedup->read()->getCandidateMicroseconds() : 0;
}

std::optional<comparison> against_best_peer(const operator_result& of) {
  return of.best_peer ? of.peers[*of.best_peer].against : std::nullopt;
}

std::vector<std::string> operator_tasks() {
  std::vector<std::string> names;
  for (const auto& row : wanted) names.emplace_back(row.task);
  return names;
}

result<std::vector<operator_result>> measure_operators(workplace& at) {
  std::vector<operator_result> all;
  auto measured = at.measure_limits();
  if (!measured) return measured.failure();
  auto& asked = at.request().tasks;
  for (const auto& row : wanted) {
    if (!asked.empty() && std::find(asked.begin(), asked.end(), row.task) == asked.end()) continue;
    operator_result one;
    one.task = row.task;
    auto done = measuring(at, one).run();
    if (!done) return done.failure();
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<target> operator_targets(const std::vector<operator_result>& all) {
  std::vector<target> targets;
  double logs = 0;
  size_t met = 0;
  for (const auto& of : all) {
    auto row = std::find_if(std::begin(wanted), std::end(wanted), [&](auto& each) { return of.task == each.task; });
    if (row == std::end(wanted)) continue;
    if (row->against_reference > 0) {
      target speed{.name = of.task + " against the reference", .wanted = row->against_reference, .unit = "x"};
      if (of.speedup) speed.measured = ratio_of(*of.speedup);
      if (of.speedup && of.least.seconds > 0) {
        double least = of.least.seconds * 1e6;
        speed.note = "the " + label_of(of.least.limited_by) + " allows " +
                     short_number(reference_microseconds(of) / least) + "x; the winner runs at " +
                     number_text(100 * least / winner_microseconds(of), 0) + " % of it";
      }
      targets.push_back(std::move(speed));
    }
    target peer{.name = of.task + " against the best peer", .wanted = row->against_peer, .unit = "x"};
    if (auto best = against_best_peer(of)) {
      peer.measured = ratio_of(*best);
      peer.note = of.peers[*of.best_peer].library;
      logs += std::log(*peer.measured);
      ++met;
    } else {
      for (const auto& each : of.peers)
        peer.note += (peer.note.empty() ? "" : "; ") + (each.refused.empty() ? each.about : each.refused);
    }
    targets.push_back(std::move(peer));
  }
  // Of one operator it would say the same again.
  if (all.size() > 1 && met == all.size())
    targets.push_back({.name = "geomean over " + std::to_string(met) + " best peers",
                       .wanted = peers_geomean_wanted,
                       .unit = "x",
                       .measured = std::exp(logs / static_cast<double>(met))});
  return targets;
}

}  // namespace kope::bench
