#include "bench/operators.hpp"

#include <algorithm>

#include "actors/evaluation/cpu_choice.hpp"
#include "bench/exploring_anew.hpp"
#include "bench/rivals.hpp"
#include "bench/text_table.hpp"
#include "daemon/exploring.hpp"
#include "toolchains/limit_meter.hpp"

namespace kope::bench {
namespace {

/// What each operator is held to; a peer that does not exist has no target.
struct wanted_row {
  const char* task;
  double against_reference;
  double against_peer;  ///< 0: none
};
constexpr wanted_row wanted[] = {{"matmul", 100, 0.9}, {"sum", 4, 0}};

/// From here on a CPU's arithmetic and not its memory is the limit (100 GFLOP/s and 12 GB/s are common).
constexpr double flops_a_byte_min = 8;

double ratio_of(const comparison& compared) { return compared.read()->getRatio(); }

/// The most f32 operations a second that this CPU does right now: no matrix product can take less than its own over it.
result<double> measure_fma_peak(workplace& at, int cpu) {
  auto meter = limit_meter::open(*at.tools().tool, *at.tools().with_runner);
  if (!meter) return meter.failure();
  measuring_alone alone(*at.tools().measuring);
  auto target = at.tools().target.read();
  auto peak = meter->measure(wire::Resource::F32_MULTIPLY_ADD_PEAK, *target, cpu, thorough_effort);
  if (!peak) return peak.failure();
  return peak->read()->getPerSecond();
}

class measuring {
public:
  measuring(workplace& at, operator_result& into) : at_(at), into_(into) {}
  result<unit> run();

private:
  result<unit> explore();
  result<unit> meet_peer();
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

result<unit> measuring::meet_peer() {
  auto peer = compile_peer(at_, into_.task);
  auto name = peer ? peer_description(at_) : result<std::string>(peer.failure());
  if (!name && name.failure().code == errc::tool_missing) {
    into_.peer = name.failure().what;
    return unit{};
  }
  if (!name) return name.failure();
  into_.peer = *peer ? *name : "OpenBLAS has no such operator";
  if (!*peer || !winner_) return unit{};
  auto compared = compare(bytes_of(**peer), bytes_of(*winner_), "the peer");
  if (!compared) return compared.failure();
  into_.against_peer = *compared;
  return unit{};
}

result<unit> measuring::meet_reference() {
  auto peak = measure_fma_peak(at_, cpus_.front());
  if (!peak) return peak.failure();
  into_.peak_flops = *peak;
  if (!winner_) return unit{};
  auto compared = compare(bank_->baseline(), bytes_of(*winner_), "the reference");
  if (!compared) return compared.failure();
  into_.speedup = *compared;
  // The same minute, but another second: a CPU that others share has its peak when they rest.
  peak = measure_fma_peak(at_, cpus_.front());
  if (!peak) return peak.failure();
  into_.peak_flops = std::max(into_.peak_flops, *peak);
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
  for (auto part : {&measuring::meet_peer, &measuring::meet_reference, &measuring::try_flags}) {
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

double least_microseconds(const operator_result& of) {
  return of.flops >= flops_a_byte_min * of.bytes && of.peak_flops > 0 ? of.flops / of.peak_flops * 1e6 : 0;
}

result<std::vector<operator_result>> measure_operators(workplace& at) {
  std::vector<operator_result> all;
  for (const auto& row : wanted) {
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
  for (const auto& of : all) {
    auto row = std::find_if(std::begin(wanted), std::end(wanted), [&](auto& each) { return of.task == each.task; });
    if (row == std::end(wanted)) continue;
    target speed{.name = of.task + " against the reference", .wanted = row->against_reference, .unit = "x"};
    if (of.speedup) speed.measured = ratio_of(*of.speedup);
    if (double least = least_microseconds(of); of.speedup && least > 0) {
      speed.note = "this CPU's peak allows " + short_number(reference_microseconds(of) / least) +
                   "x; the winner runs at " + number_text(100 * least / winner_microseconds(of), 0) + " % of it";
    }
    targets.push_back(std::move(speed));
    if (row->against_peer == 0) continue;
    target peer{.name = of.task + " against OpenBLAS", .wanted = row->against_peer, .unit = "x"};
    if (of.against_peer) peer.measured = ratio_of(*of.against_peer);
    if (!of.against_peer) peer.note = of.peer;
    targets.push_back(std::move(peer));
  }
  return targets;
}

}  // namespace kope::bench
