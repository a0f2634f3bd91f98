#include "bench/identical_kernels.hpp"

#include <chrono>
#include <cmath>

#include "actors/coder/schedule/family.hpp"
#include "actors/evaluation/statistics.hpp"
#include "bench/text_table.hpp"
#include "messages/enum_names.hpp"

namespace kope::bench {
namespace {

using clock = std::chrono::steady_clock;

// The rule promises at most 1 of 100; three are seen in 8 of 100 runs of it, four in 2.
constexpr double claims_max_of_100 = 3;

struct kernel_row {
  const char* task;
  const char* timed_case;
  bool reference;  ///< otherwise the family's first starting point
  uint32_t share;  ///< of the comparisons asked for: one in so many
};
constexpr kernel_row kernels[] = {
    {"matmul", "medium", false, 1},
    {"sum", "large", false, 1},
    {"matmul", "large", true, 10},  // a quarter of a second a call: how slow kernels fare
};

result<identical_comparison> compare_once(workplace& at, case_bank& bank, const concrete_case& timed,
                                          std::string_view artifact, double& microseconds) {
  auto begun = clock::now();
  auto found = at.compare(bank, timed, {artifact, artifact, "itself", {}});
  if (!found) return found.failure();
  if (found->fault != wire::OutcomeClass::IMPROVED) return error{errc::internal, found->fault_detail};
  auto view = found->compared.read();
  microseconds = view->getCandidateMicroseconds();
  return identical_comparison{.ratio = view->getRatio(),
                              .low = view->getLow(),
                              .high = view->getHigh(),
                              .pairs = view->getPairs(),
                              .disturbed = found->disturbed_pairs,
                              .decision = view->getDecision(),
                              .note = found->note,
                              .seconds = std::chrono::duration<double>(clock::now() - begun).count()};
}

result<identical_result> compare_kernel(workplace& at, const kernel_row& row) {
  identical_result all;
  all.kernel = std::string(row.reference ? "reference of " : "") + row.task + " (" + row.timed_case + ")";
  all.load_before = load_of_last_minute();
  auto bank = at.tools().banks->bank(row.task);
  if (!bank) return bank.failure();
  auto timed = (*bank)->case_named(row.timed_case);
  if (!timed) return timed.failure();
  std::string artifact((*bank)->baseline());
  if (!row.reference) {
    auto built = first_candidate(at, *at.task_of(row.task).read());
    if (!built) return built.failure();
    artifact = bytes_of(*built);
  }
  uint32_t wanted = std::max(1u, at.request().comparisons / row.share);
  std::vector<double> times;
  for (uint32_t done = 0; done < wanted; ++done) {
    double microseconds = 0;
    auto one = compare_once(at, **bank, *timed, artifact, microseconds);
    if (!one) return one.failure();
    all.comparisons.push_back(*one);
    times.push_back(microseconds);
    if ((done + 1) % 10 != 0 && done + 1 != wanted) continue;
    auto counted = count(all.comparisons);
    say(all.kernel + ": " + std::to_string(done + 1) + "/" + std::to_string(wanted) + " comparisons, " +
        std::to_string(counted.faster + counted.slower) + " claims, " + std::to_string(counted.undecided) +
        " undecided");
  }
  all.microseconds = median(times);
  all.load_after = load_of_last_minute();
  return all;
}

}  // namespace

result<build> first_candidate(workplace& at, wire::Task::Reader of) {
  const family* known = find_family(std::string_view(of.getFamily().cStr()));
  if (!known) return error{errc::not_found, std::string("there is no family ") + of.getFamily().cStr()};
  auto space = known->space(of, *at.tools().target.read());
  auto view = space.read();
  auto generated = known->generate(of, view->getStartingPoints()[0].getParameters());
  if (!generated) return generated.failure();
  auto built = compile_candidate(*at.tools().tool, of, generated->source, generated->flags);
  if (!built) return built.failure();
  if (!built->read()->getSucceeded())
    return error{errc::internal,
                 std::string("a starting point does not compile: ") + built->read()->getDiagnostics().cStr()};
  return built;
}

identical_counts count(const std::vector<identical_comparison>& comparisons) {
  identical_counts counted;
  if (comparisons.empty()) return counted;
  std::vector<double> deviations, widths, seconds, pairs;
  double disturbed = 0, played = 0;
  for (const auto& one : comparisons) {
    counted.faster += one.decision == wire::Decision::FASTER;
    counted.slower += one.decision == wire::Decision::SLOWER;
    counted.no_difference += one.decision == wire::Decision::NO_DIFFERENCE;
    bool open = one.decision == wire::Decision::UNDECIDED;
    counted.undecided += open;
    counted.out_of_time += open && !one.note.empty();
    deviations.push_back(std::abs(one.ratio - 1));
    widths.push_back((one.high - one.low) / 2 / one.ratio);
    seconds.push_back(one.seconds);
    pairs.push_back(one.pairs);
    disturbed += one.disturbed;
    played += one.pairs + one.disturbed;
  }
  counted.median_deviation = median(deviations);
  counted.median_half_width = median(widths);
  counted.median_seconds = median(seconds);
  counted.median_pairs = median(pairs);
  counted.disturbed_share = played > 0 ? disturbed / played : 0;
  return counted;
}

result<std::vector<identical_result>> compare_identical_kernels(workplace& at) {
  std::vector<identical_result> all;
  for (const auto& row : kernels) {
    auto one = compare_kernel(at, row);
    if (!one) return one.failure();
    all.push_back(std::move(*one));
  }
  return all;
}

std::vector<target> identical_targets(const std::vector<identical_result>& all) {
  std::vector<target> targets;
  for (const auto& each : all) {
    auto counted = count(each.comparisons);
    auto compared = static_cast<double>(each.comparisons.size());
    target claims{.name = "claims, identical " + each.kernel,
                  .at_least = false,
                  // Few comparisons may still have as many as a hundred, in proportion: none of ten.
                  .wanted = std::floor(claims_max_of_100 * compared / 100),
                  .unit = "of " + std::to_string(each.comparisons.size())};
    if (compared > 0) claims.measured = static_cast<double>(counted.faster + counted.slower);
    targets.push_back(std::move(claims));
  }
  return targets;
}

std::string identical_text(const std::vector<identical_result>& all) {
  text_table table({"identical kernels", "us", "compared", "faster", "slower", "no difference", "undecided",
                    "median |ratio-1|", "half width", "pairs", "disturbed", "s each", "load"});
  for (const auto& each : all) {
    auto counted = count(each.comparisons);
    table.add({each.kernel, number_text(each.microseconds, 1), std::to_string(each.comparisons.size()),
               std::to_string(counted.faster), std::to_string(counted.slower), std::to_string(counted.no_difference),
               std::to_string(counted.undecided), number_text(100 * counted.median_deviation, 2) + " %",
               number_text(100 * counted.median_half_width, 2) + " %", number_text(counted.median_pairs, 0),
               number_text(100 * counted.disturbed_share, 0) + " %", short_number(counted.median_seconds),
               short_number(each.load_before) + " to " + short_number(each.load_after)});
  }
  return table.text();
}

json identical_json(const std::vector<identical_result>& all) {
  json rows = json::array();
  for (const auto& each : all) {
    auto counted = count(each.comparisons);
    json one;
    one["kernel"] = each.kernel;
    one["microseconds"] = each.microseconds;
    one["comparisons"] = each.comparisons.size();
    one["faster"] = counted.faster;
    one["slower"] = counted.slower;
    one["no_difference"] = counted.no_difference;
    one["undecided"] = counted.undecided;
    one["undecided_for_time_or_inputs"] = counted.out_of_time;
    one["median_deviation"] = counted.median_deviation;
    one["median_half_width"] = counted.median_half_width;
    one["median_pairs"] = counted.median_pairs;
    one["disturbed_share"] = counted.disturbed_share;
    one["median_seconds"] = counted.median_seconds;
    one["load"] = json::array({each.load_before, each.load_after});
    one["each"] = json::array();
    for (const auto& compared : each.comparisons)
      one["each"].push_back({{"ratio", number_or_null(compared.ratio)},
                             {"interval", json::array({number_or_null(compared.low), number_or_null(compared.high)})},
                             {"pairs", compared.pairs},
                             {"disturbed", compared.disturbed},
                             {"decision", enum_name(compared.decision)},
                             {"note", compared.note},
                             {"seconds", compared.seconds}});
    rows.push_back(std::move(one));
  }
  return rows;
}

}  // namespace kope::bench
