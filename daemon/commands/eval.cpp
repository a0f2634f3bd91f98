// kope eval: judges one source through the same pipeline as every attempt. Keeps nothing unless --record.

#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include "daemon/commands/commands.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/device_limits.hpp"
#include "daemon/exploring.hpp"
#include "daemon/judging.hpp"
#include "messages/enum_names.hpp"
#include "storage/lmdb_graph_store.hpp"
#include "storage/memory_graph_store.hpp"

namespace kope {
namespace {

result<std::string> read_source(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return error{errc::not_found, "there is no readable source file " + path};
  std::string text;
  char block[4096];
  while (file.read(block, sizeof block) || file.gcount() > 0) {
    text.append(block, static_cast<size_t>(file.gcount()));
    if (text.size() > source_bytes_max)
      return error{errc::invalid_input, path + " is larger than 256 KiB, the most that a source may have"};
  }
  if (text.empty()) return error{errc::invalid_input, path + " is empty; it must define the task's kernel"};
  return text;
}

result<std::shared_ptr<graph_store>> store_for(const eval_arguments& arguments, const run_options& options) {
  if (!arguments.record) return std::shared_ptr<graph_store>(make_memory_graph_store());
  auto opened = open_lmdb_graph_store(graph_directory(options).string(), store_access::write);
  if (!opened) return opened.failure();
  return std::shared_ptr<graph_store>(std::move(*opened));
}

int report(const eval_arguments& arguments, wire::Attempt::Reader attempt, wire::ToolchainRecord::Reader toolchain) {
  auto promotion = attempt.getPromotion();
  auto outcome = attempt.getOutcome();
  bool measured = was_measured(promotion);
  if (arguments.shared.json) {
    json document;
    document["task"] = arguments.task;
    document["case"] = attempt.getTimedCase().cStr();
    document["outcome"] = enum_name(outcome);
    document["stage"] = enum_name(attempt.getStage());
    document["speedup"] = measured ? number_or_null(promotion.getRatio()) : json(nullptr);
    document["interval"] = interval_of(promotion);
    put_fraction(document, promotion);
    document["timing"] = measured ? json(enum_name(promotion.getMode())) : json(nullptr);
    document["counters"] = nullptr;  // doctor says why this machine has none
    if (attempt.hasCounters()) {
      auto counted = attempt.getCounters();
      document["counters"] = {{"cycles", counted.getCycles()},
                              {"instructions", counted.getInstructions()},
                              {"cache_misses", counted.getCacheMisses()}};
    }
    document["toolchain"] = std::string(toolchain.getName().cStr()) + " (" + toolchain.getCompiler().cStr() + ")";
    document["level"] = attempt.getLevel().cStr();
    document["reason"] = attempt.getDiagnostics().cStr();
    print_json(document);
  } else {
    std::cout << enum_name(outcome) << " (" << enum_name(attempt.getStage()) << ")\n";
    if (measured)
      std::cout << comparison_text(promotion)
                << " against the reference: " << microseconds_text(promotion.getBaselineMicroseconds()) << " -> "
                << microseconds_text(promotion.getCandidateMicroseconds())
                << (fraction_text(promotion).empty() ? "" : ", " + fraction_text(promotion)) << '\n';
    if (attempt.getDiagnostics().size() > 0) std::cout << attempt.getDiagnostics().cStr() << '\n';
  }
  if (outcome == wire::OutcomeClass::IMPROVED) return exit_done;
  bool ours = outcome == wire::OutcomeClass::HARNESS_ERROR || outcome == wire::OutcomeClass::INTERRUPTED;
  return ours ? exit_failed : exit_no_improvement;
}

}  // namespace

int eval_command(const eval_arguments& arguments) {
  auto options = options_of(arguments.shared);
  if (!options) return report_error(options.failure());
  auto of = task_named(arguments.task);
  if (!of) return report_error(of.failure());
  auto timed = timed_case_of(*of, arguments.timed_case);
  if (!timed) return report_error(timed.failure());
  auto source = read_source(arguments.source);
  if (!source) return report_error(source.failure());
  auto store = store_for(arguments, *options);
  if (!store) return report_error(store.failure());
  auto tools = open_tool_box(*options, {*of}, std::random_device{}());
  if (!tools) return report_error(tools.failure());

  if (auto fits = check_timing(**tools, *of, *timed); !fits) return report_error(fits.failure());
  know_limits(**tools, **store, *options);
  auto judged = judge_source(**tools, *of, {std::move(*source), arguments.flags, *timed}, *store);
  if (!judged) return report_error(judged.failure());
  if (judged->signal) return 128 + judged->signal;
  return report(arguments, *judged->attempt.read(), *(*tools)->toolchain.read());
}

}  // namespace kope
