#include "daemon/commands/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>

#include "actors/log.hpp"
#include "messages/enum_names.hpp"
#include "storage/lmdb_graph_store.hpp"

namespace kope {
namespace {

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

int report_error(const error& failure) {
  std::cerr << "kope: " << failure.what << '\n';
  switch (failure.code) {
    case errc::invalid_input:
      return exit_usage;
    case errc::not_found:
      return exit_not_found;
    default:
      return exit_failed;
  }
}

void print_json(const json& document) {
  // texts of compilers and kernels may hold anything; JSON is UTF-8
  std::cout << document.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
}

result<run_options> options_of(const shared_arguments& shared) {
  auto options = load_run_options(option_sources_of_process(shared.options));
  if (options && !log::set_level(options->log_level.value))
    return error{errc::invalid_input, "there is no log level \"" + options->log_level.value +
                                          "\"; trace, debug, info, warn, error and off are"};
  return options;
}

bool was_measured(wire::Comparison::Reader compared) { return compared.getPairs() > 0; }

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json interval_of(wire::Comparison::Reader compared) {
  if (!was_measured(compared)) return nullptr;
  return json::array({number_or_null(compared.getLow()), number_or_null(compared.getHigh())});
}

std::string comparison_text(wire::Comparison::Reader compared) {
  if (!was_measured(compared)) return "not measured";
  auto digits = compared.getRatio() >= 10 ? "%.1f" : "%.2f";
  return formatted(digits, compared.getRatio()) + "x (99 % interval " + formatted(digits, compared.getLow()) + " to " +
         formatted(digits, compared.getHigh()) + ", " + std::to_string(compared.getPairs()) + " pairs" +
         (compared.getMode() == wire::TimingMode::RESIDENT ? ", resident data)" : ")");
}

std::string fraction_text(wire::Comparison::Reader compared) {
  if (!(compared.getFractionOfLimit() > 0)) return "";
  auto resource = enum_name(compared.getLimitedBy());
  std::replace(resource.begin(), resource.end(), '_', ' ');
  return formatted("%.0f", 100 * compared.getFractionOfLimit()) + " % of the " + resource;
}

void put_fraction(json& document, wire::Comparison::Reader compared) {
  bool known = compared.getFractionOfLimit() > 0;
  document["fraction_of_limit"] = known ? number_or_null(compared.getFractionOfLimit()) : json(nullptr);
  document["limited_by"] = known ? json(enum_name(compared.getLimitedBy())) : json(nullptr);
}

std::string microseconds_text(double microseconds) {
  if (microseconds >= 1e6) return formatted("%.2f s", microseconds / 1e6);
  if (microseconds >= 1e3) return formatted("%.3f ms", microseconds / 1e3);
  return formatted("%.2f us", microseconds);
}

std::string cache_text(uint32_t bytes) { return bytes == 0 ? "unknown" : std::to_string(bytes >> 10) + " KiB"; }

std::string seconds_text(double seconds) {
  if (seconds < 100) return formatted("%.0f s", seconds);
  long whole = std::lround(seconds);
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

std::string utc_text(double unix_seconds) {
  auto moment = static_cast<time_t>(unix_seconds);
  tm parts{};
  gmtime_r(&moment, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string parameters_text(capnp::List<wire::Parameter>::Reader parameters) {
  std::string text;
  for (auto parameter : parameters)
    text += (text.empty() ? "" : " ") + std::string(parameter.getMeaning().cStr()) + "=" +
            formatted("%g", parameter.getValue());
  return text;
}

std::filesystem::path graph_directory(const run_options& options) { return options.data_dir.value / "graph"; }

result<std::unique_ptr<graph_store>> open_reader(const run_options& options) {
  return open_lmdb_graph_store(graph_directory(options).string(), store_access::read);
}

result<stored_exploration> read_exploration(const run_options& options, const std::string& text) {
  constexpr size_t attempts_max = 100'000;
  auto id = exploration_id::parse(text);
  if (!id || !*id)
    return error{errc::invalid_input, "\"" + text + "\" is no exploration id; it has 16 hex digits, see `kope list`"};
  auto store = open_reader(options);
  if (!store) return store.failure();
  auto snapshot = (*store)->snapshot();
  if (!snapshot) return snapshot.failure();
  auto row = (*snapshot)->exploration(*id);
  if (!row) return row.failure();
  if (!*row) return error{errc::not_found, "there is no exploration " + id->text() + "; see `kope list`"};
  auto attempts = (*snapshot)->attempts_after(*id, 0, attempts_max);
  if (!attempts) return attempts.failure();
  return stored_exploration{std::move(**row), std::move(*attempts)};
}

}  // namespace kope
