#include "bench/candidate_cost.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "actors/evaluation/cpu_choice.hpp"
#include "actors/evaluation/statistics.hpp"
#include "actors/evaluation/verification.hpp"
#include "bench/counted_runner.hpp"
#include "bench/identical_kernels.hpp"
#include "bench/known_work.hpp"
#include "bench/text_table.hpp"
#include "toolchains/artifact_screen.hpp"
#include "toolchains/host_runner.hpp"

namespace kope::bench {
namespace {

using clock = std::chrono::steady_clock;
double since(clock::time_point begun) { return std::chrono::duration<double>(clock::now() - begun).count(); }

constexpr int starts = 40;              // of each level, in turn
constexpr int verifications = 10;       // a drawn shape each
constexpr int unclocked_batches = 100;  // of a millisecond: a quarter of a second
constexpr size_t many_pages = 4000;     // 60 ms where a page takes 15 us, beside 10 ms for the start

result<std::string> compiled(workplace& at, std::string_view task_name, const std::string& source) {
  auto built = compile_candidate(*at.tools().tool, *at.task_of(task_name).read(), source, {});
  if (!built) return built.failure();
  if (!built->read()->getSucceeded()) return error{errc::internal, built->read()->getDiagnostics().cStr()};
  return std::string(bytes_of(*built));
}

/// The program's own runner, to be made with other options than the program's.
host_runner_options options_of_runner() {
  std::error_code failed;
  auto beside = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  return {.program = (beside / "kope-runner").string()};
}

session_request two_pages(std::string_view artifact) {
  session_request request;
  request.artifact = std::as_bytes(std::span(artifact));
  request.layout = {{400}, {400}, {100, 1}, 1};
  return request;
}

/// Hosts of one level each, and their runners.
struct level {
  std::string name;
  std::unique_ptr<process_host> host;
  std::unique_ptr<runner> with;
  std::vector<double> seconds = {};
};

std::vector<level> levels_of(workplace& at) {
  sandbox_defences none{
      .namespaces = false, .private_root = false, .other_user = false, .landlock = false, .system_calls = false};
  sandbox_defences no_namespaces{.namespaces = false};
  std::vector<level> all;
  for (auto [wanted, defences] :
       {std::pair{sandbox_level::pid_namespace, none}, std::pair{sandbox_level::lite, no_namespaces},
        std::pair{sandbox_level::full, sandbox_defences{}}}) {
    std::string name(level_name(wanted));
    auto directory = at.tools().data / "scratch" / ("at-" + name);
    std::filesystem::create_directories(directory);
    auto isolation =
        wanted == sandbox_level::lite ? process_isolation::process_group : process_isolation::strongest_allowed;
    auto host = std::make_unique<process_host>(directory.string(), isolation, defences);
    if (host->sandbox().level != wanted) {
      all.push_back({.name = "no " + name + " on this machine"});
      continue;
    }
    host_runner_options options = options_of_runner();
    options.weakest = sandbox_level::process_group;
    options.confined = wanted >= sandbox_level::lite;
    auto with = make_host_runner(*host, options);
    all.push_back({.name = name, .host = std::move(host), .with = std::move(with)});
  }
  return all;
}

result<std::vector<start_cost>> measure_starts(workplace& at, const std::string& artifact) {
  auto levels = levels_of(at);
  for (int round = 0; round < starts; ++round)
    for (auto& each : levels) {
      if (!each.with) continue;
      auto begun = clock::now();
      auto session = each.with->open(two_pages(artifact));
      if (!session) return session.failure();
      each.seconds.push_back(since(begun));
    }
  std::vector<start_cost> all;
  for (auto& each : levels) {
    if (each.seconds.empty())
      all.push_back({.level = each.name});
    else
      all.push_back({each.name, *std::min_element(each.seconds.begin(), each.seconds.end()), median(each.seconds)});
  }
  return all;
}

result<double> measure_page(workplace& at, const std::string& artifact) {
  std::vector<double> few, many;
  for (int round = 0; round < starts / 4; ++round)
    for (auto* into : {&few, &many}) {
      auto request = two_pages(artifact);
      if (into == &many) request.layout.slots = many_pages / 2;
      auto begun = clock::now();
      auto session = at.tools().with_runner->open(request);
      if (!session) return session.failure();
      into->push_back(since(begun));
    }
  return (median(many) - median(few)) / static_cast<double>(many_pages - 2);
}

result<verification_cost> measure_verification(workplace& at, const std::string& task_name) {
  // A bank of its own, so that its processes are counted too: a drawn shape needs the oracle.
  counted_runner counting(*at.tools().with_runner);
  bank_registry banks({at.task_of(task_name)}, {at.tools().tool.get(), &counting, at.tools().cpus, {}}, 20240607);
  auto bank = banks.bank(task_name);
  if (!bank) return bank.failure();
  auto built = first_candidate(at, *at.task_of(task_name).read());
  if (!built) return built.failure();
  auto artifact = std::as_bytes(std::span(bytes_of(*built)));
  verification_cost cost{.task = task_name};
  std::vector<double> seconds, sessions, pages, open, call;
  for (int turn = 0; turn <= verifications; ++turn) {
    auto begun = clock::now();
    auto verdict = verify_artifact(counting, **bank, artifact,
                                   {.cpus = at.tools().cpus, .draw = static_cast<uint64_t>(turn)}, nullptr);
    double took = since(begun);
    if (!verdict) return verdict.failure();
    if (verdict->read()->getOutcome() != wire::OutcomeClass::CORRECT_NOT_FASTER)
      return error{errc::internal,
                   std::string("a starting point is not right: ") + verdict->read()->getDetail().cStr()};
    auto counted = counting.take();
    if (turn == 0) continue;  // the listed cases' expected outputs: once a task
    seconds.push_back(took);
    sessions.push_back(static_cast<double>(counted.sessions));
    pages.push_back(counted.pages);
    open.push_back(counted.open_seconds);
    call.push_back(counted.call_seconds);
  }
  cost.seconds = median(seconds);
  cost.sessions = median(sessions);
  cost.pages = median(pages);
  cost.open_seconds = median(open);
  cost.call_seconds = median(call);
  auto begun = clock::now();
  for (int turn = 0; turn < starts; ++turn)
    if (screen_artifact(artifact)) return error{errc::internal, "a starting point does not pass the screen"};
  cost.screen_seconds = since(begun) / starts;
  return cost;
}

result<unit> measure_unclocked(workplace& at, const std::string& artifact, candidate_cost& cost) {
  session_request request = two_pages(artifact);
  request.layout.sizes = {100, 8600};  // a millisecond
  request.cpus = {quickest_cpu(at.tools().cpus)};
  request.urgent = true;
  stay_off elsewhere(request.cpus.front());
  auto session = at.tools().with_runner->open(request);
  if (!session) return session.failure();
  std::vector<double> all;
  const uint32_t slot = 0;
  for (int batch = 0; batch < unclocked_batches; ++batch) {
    auto report = (*session)->call({&slot, 1}, 1);
    if (!report) return report.failure();
    if (report->end != batch_end::done) return error{errc::internal, "a kernel of known work failed"};
    all.push_back(report->unclocked_seconds);
  }
  std::sort(all.begin(), all.end());
  cost.unclocked_least = all.front();
  cost.unclocked_median = all[all.size() / 2];
  cost.unclocked_ninety = all[all.size() * 9 / 10];
  return unit{};
}

std::string ms(double seconds) { return short_number(seconds * 1e3) + " ms"; }
std::string us(double seconds) { return number_text(seconds * 1e6, 1) + " us"; }

}  // namespace

result<candidate_cost> measure_candidate_cost(workplace& at) {
  candidate_cost cost{.load_before = load_of_last_minute()};
  auto artifact = compiled(at, "known_work", shorter_kernel());
  if (!artifact) return artifact.failure();
  measuring_alone alone(*at.tools().measuring);
  auto started = measure_starts(at, *artifact);
  if (!started) return started.failure();
  cost.starts = std::move(*started);
  auto page = measure_page(at, *artifact);
  if (!page) return page.failure();
  cost.page_seconds = *page;
  for (const char* name : {"matmul", "sum"}) {
    auto verified = measure_verification(at, name);
    if (!verified) return verified.failure();
    cost.verifications.push_back(*verified);
    say("candidate: " + verified->task + " verified " + std::to_string(verifications) + " times");
  }
  if (auto measured = measure_unclocked(at, *artifact, cost); !measured) return measured.failure();
  cost.load_after = load_of_last_minute();
  return cost;
}

std::vector<target> candidate_targets(const candidate_cost& cost) {
  std::vector<target> targets;
  for (const auto& each : cost.verifications)
    targets.push_back({.name = "one correct " + each.task + " candidate, beyond compiling and timing",
                       .at_least = false,
                       .wanted = each.seconds_max() * 1e3,
                       .unit = "ms",
                       .measured = each.seconds * 1e3,
                       .note = "100 ms and 30 us for each of " + number_text(each.pages, 0) + " pages"});
  return targets;
}

std::string candidate_text(const candidate_cost& cost) {
  text_table table({"one candidate", "median", "", "load"});
  std::string load = short_number(cost.load_before) + " to " + short_number(cost.load_after);
  for (const auto& each : cost.starts)
    table.add({"start of a runner, " + each.level, each.median_seconds > 0 ? ms(each.median_seconds) : "-",
               each.median_seconds > 0 ? "least " + ms(each.least_seconds) : "", load});
  table.add({"a page that it touches first", us(cost.page_seconds), "", load});
  for (const auto& each : cost.verifications) {
    table.add({each.task + ": whole verification", ms(each.seconds), "at most " + ms(each.seconds_max()), load});
    table.add({"  starting, touching, loading", ms(each.open_seconds),
               number_text(each.sessions, 0) + " runners, " + number_text(each.pages, 0) + " pages", load});
    table.add({"  calls", ms(each.call_seconds), "", load});
    table.add({"  filling, poisoning, comparing", ms(each.seconds - each.open_seconds - each.call_seconds), "", load});
    table.add({"  screening once", us(each.screen_seconds), "in each start", load});
  }
  table.add({"CPU time of a batch outside of its clock", us(cost.unclocked_median),
             us(cost.unclocked_least) + " least, " + us(cost.unclocked_ninety) + " in nine of ten", load});
  return table.text();
}

json candidate_json(const candidate_cost& cost) {
  json document;
  document["starts"] = json::array();
  for (const auto& each : cost.starts)
    document["starts"].push_back(
        {{"level", each.level}, {"least_seconds", each.least_seconds}, {"median_seconds", each.median_seconds}});
  document["page_seconds"] = cost.page_seconds;
  document["verifications"] = json::array();
  for (const auto& each : cost.verifications)
    document["verifications"].push_back({{"task", each.task},
                                         {"seconds", each.seconds},
                                         {"seconds_max", each.seconds_max()},
                                         {"sessions", each.sessions},
                                         {"pages", each.pages},
                                         {"open_seconds", each.open_seconds},
                                         {"call_seconds", each.call_seconds},
                                         {"screen_seconds", each.screen_seconds}});
  document["unclocked_cpu_seconds"] = {
      {"least", cost.unclocked_least}, {"median", cost.unclocked_median}, {"nine_of_ten", cost.unclocked_ninety}};
  document["load"] = json::array({cost.load_before, cost.load_after});
  return document;
}

}  // namespace kope::bench
