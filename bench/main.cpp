// kope-bench: what the program claims, as measurements on this machine. stdout is data, stderr is talk.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>

#include "bench/candidate_cost.hpp"
#include "bench/durable_rate.hpp"
#include "bench/identical_kernels.hpp"
#include "bench/operators.hpp"
#include "bench/running_cost.hpp"
#include "bench/timing_claims.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/signals.hpp"

namespace kope::bench {
namespace {

constexpr int exit_target_missed = 6;  // as in `kope run`: it worked, and the answer is no

constexpr const char* description = R"(Measures what kope claims: its winners beside the reference, the best
compiler flags and the libraries that people would call instead; how often it claims a difference where there is none,
and one of 5 % where there is; what judging and running cost.)";
constexpr const char* footer = R"(
suites (default: operators aa candidate):
  operators  explores each task for which a library is known, then compares the winners in one run with the reference,
             the best compiler flags and OpenBLAS, oneDNN and Eigen, one thread each; measures the device's limits first
  aa         identical kernels compared again and again
  candidate  what judging one correct candidate costs beyond compiling and timing it, in its parts: half a minute
  timing     kernels of 10 us, 1 ms and 50 ms, identical and 5 % apart, a hundred comparisons each: about 15 minutes;
             with --busy beside a busy loop on each CPU: about an hour
  runtime    start-up, seconds of an attempt by stage, bytes on disk; then 1,000 explorations on a toolchain that
             answers at once: durable attempts a second, memory, messages and bytes an attempt

exit codes: 0 all targets met; 1 failed; 2 usage; 6 a target was missed)";

struct arguments {
  std::vector<std::string> suites;
  bench_request request;
  bool json_wanted = false;
};

int run(const arguments& asked) {
  auto at = workplace::open(asked.request);
  if (!at) return report_error(at.failure());
  auto& place = **at;
  std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  json document;
  document["date"] = utc_text(now.count());
  document["device"] = place.device_line();
  document["compiler"] = place.compiler_line();
  if (!asked.json_wanted)
    std::cout << utc_text(now.count()) << "  " << place.device_line() << "  " << place.compiler_line() << '\n';

  std::vector<target> targets;
  auto add = [&](const char* suite, const std::string& text, json rows, std::vector<target> more) {
    document[suite] = std::move(rows);
    targets.insert(targets.end(), more.begin(), more.end());
    if (!asked.json_wanted) std::cout << '\n' << text << std::flush;
  };
  for (const auto& suite : asked.suites) {
    if (suite == "operators") {
      auto found = measure_operators(place);
      if (!found) return report_error(found.failure());
      add("operators", operators_text(*found), operators_json(*found), operator_targets(*found));
    } else if (suite == "aa") {
      auto found = compare_identical_kernels(place);
      if (!found) return report_error(found.failure());
      add("aa", identical_text(*found), identical_json(*found), identical_targets(*found));
    } else if (suite == "timing") {
      auto found = measure_timing_claims(place);
      if (!found) return report_error(found.failure());
      add("timing", claims_text(*found), claims_json(*found), claims_targets(*found, asked.request.busy));
    } else if (suite == "candidate") {
      auto found = measure_candidate_cost(place);
      if (!found) return report_error(found.failure());
      add("candidate", candidate_text(*found), candidate_json(*found), candidate_targets(*found));
    } else {
      auto found = measure_running_cost(place);
      if (!found) return report_error(found.failure());
      add("runtime", running_text(*found), running_json(*found), running_targets(*found));
      auto rate = measure_durable_rate(place);
      if (!rate) return report_error(rate.failure());
      add("durable", durable_text(*rate), durable_json(*rate), durable_targets(*rate));
    }
  }
  document["targets"] = targets_json(targets);
  document["all_met"] = all_met(targets);
  if (asked.json_wanted)
    print_json(document);
  else
    std::cout << '\n' << targets_text(targets);
  return all_met(targets) ? exit_done : exit_target_missed;
}

int run_command_line(int count, char** values) {
  CLI::App app(description, "kope-bench");
  app.footer(footer);
  arguments asked;
  std::string data_dir;
  app.add_option("suite", asked.suites, "what to measure")
      ->check(CLI::IsMember({"operators", "aa", "candidate", "timing", "runtime"}));
  app.add_flag("--json", asked.json_wanted, "one JSON document on stdout");
  app.add_option("--task", asked.request.tasks, "only these in the suite of operators, e.g. --task matmul")
      ->check(CLI::IsMember(operator_tasks()));
  app.add_option("--attempts", asked.request.attempts, "of each exploration")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seconds", asked.request.seconds, "of each exploration")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", asked.request.seed, "of the search; 0: drawn and printed")->capture_default_str();
  app.add_option("--comparisons", asked.request.comparisons, "of each pair of kernels that are identical or nearly so")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--busy", asked.request.busy, "timing: beside a busy loop on each CPU");
  app.add_option("--data-dir", data_dir, "keep the graph here instead of in a temporary directory");
  try {
    app.parse(count, values);
  } catch (const CLI::Success& wanted) {  // --help
    return app.exit(wanted);
  } catch (const CLI::ParseError& mistake) {
    std::cerr << "kope-bench: " << mistake.what() << "; see kope-bench --help\n";
    return exit_usage;
  }
  asked.request.data_dir = data_dir;
  if (asked.suites.empty()) asked.suites = {"operators", "aa", "candidate"};
  return run(asked);
}

}  // namespace
}  // namespace kope::bench

int main(int count, char** values) {
  kope::block_signals();  // before any thread exists
  try {
    return kope::bench::run_command_line(count, values);
  } catch (const std::exception& e) {
    std::cerr << "kope-bench: " << e.what() << '\n';
    return EXIT_FAILURE;
  }
}
