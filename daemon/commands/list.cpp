// kope list, kope show: what the graph holds. Read-only, beside a running writer.

#include <iostream>

#include "daemon/commands/commands.hpp"
#include "daemon/commands/report.hpp"
#include "messages/enum_names.hpp"
#include "messages/json.hpp"

namespace kope {
namespace {

constexpr size_t listed_max = 1000;  // a screen has fewer; --json consumers page by exploration

std::string line_of(wire::Exploration::Reader row) {
  auto spec = row.getSpec();
  std::string line = std::string(row.getId().cStr()) + "  " + utc_text(row.getStartedUnixSeconds()) + "  " +
                     enum_name(row.getState()) + "  " + spec.getTask().cStr() + " (" + spec.getTimedCase().cStr() +
                     ")  " + std::to_string(row.getSpentAttempts()) + " attempts";
  if (was_measured(row.getSpeedup())) line += "  " + comparison_text(row.getSpeedup());
  if (auto fraction = fraction_text(row.getSpeedup()); !fraction.empty()) line += "  " + fraction;
  return line;
}

std::string line_of(wire::Attempt::Reader attempt) {
  std::string line = "  " + std::to_string(attempt.getHeader().getNumber()) + "  " + enum_name(attempt.getOutcome());
  auto promotion = attempt.getPromotion();
  if (was_measured(promotion))
    line += "  " + microseconds_text(promotion.getCandidateMicroseconds()) + "  " + comparison_text(promotion);
  if (auto fraction = fraction_text(promotion); !fraction.empty()) line += "  " + fraction;
  if (attempt.getParameters().size() > 0) line += "  [" + parameters_text(attempt.getParameters()) + "]";
  if (attempt.getDiagnostics().size() > 0) {
    std::string why = attempt.getDiagnostics().cStr();
    line += "  " + why.substr(0, why.find('\n'));
  }
  return line;
}

/// A data directory without a store is one that nobody has explored in yet.
result<std::vector<exploration_row>> stored_explorations(const run_options& options) {
  auto store = open_reader(options);
  if (!store && store.failure().code == errc::not_found) return std::vector<exploration_row>();
  if (!store) return store.failure();
  auto snapshot = (*store)->snapshot();
  if (!snapshot) return snapshot.failure();
  return (*snapshot)->explorations(listed_max);
}

}  // namespace

int list_command(const list_arguments& arguments) {
  auto options = options_of(arguments.shared);
  if (!options) return report_error(options.failure());
  auto rows = stored_explorations(*options);
  if (!rows) return report_error(rows.failure());
  if (arguments.shared.json) {
    auto all = json::array();
    for (auto& row : *rows) all.push_back(to_json(*row.read()));
    print_json(all);
    return exit_done;
  }
  for (auto& row : *rows) std::cout << line_of(*row.read()) << '\n';
  if (rows->empty())
    std::cerr << "no explorations in " << options->data_dir.value.string() << " yet; `kope run` makes one\n";
  return exit_done;
}

int show_command(const show_arguments& arguments) {
  auto options = options_of(arguments.shared);
  if (!options) return report_error(options.failure());
  auto stored = read_exploration(*options, arguments.exploration);
  if (!stored) return report_error(stored.failure());
  auto view = stored->row.read();
  if (arguments.shared.json) {
    auto document = to_json(*view);
    document["attempts"] = json::array();
    for (auto& attempt : stored->attempts) document["attempts"].push_back(to_json(*attempt.read()));
    print_json(document);
    return exit_done;
  }
  std::cout << line_of(*view) << '\n';
  if (view->getStopReason().size() > 0) std::cout << "  stopped by " << view->getStopReason().cStr() << '\n';
  for (auto& attempt : stored->attempts) std::cout << line_of(*attempt.read()) << '\n';
  return exit_done;
}

}  // namespace kope
