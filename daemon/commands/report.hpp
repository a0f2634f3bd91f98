// What several commands print alike: errors, comparisons, times. Main thread.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "config/run_options.hpp"
#include "daemon/commands/commands.hpp"
#include "messages/graph.capnp.h"
#include "messages/result.hpp"
#include "messages/work.capnp.h"
#include "storage/graph_store.hpp"

namespace kope {

using json = nlohmann::ordered_json;

/// "kope: <sentence>" on stderr; the exit code that goes with it.
int report_error(const error& failure);

/// One document on stdout.
void print_json(const json& document);

/// Loads the layered options and sets the log level.
result<run_options> options_of(const shared_arguments& shared);

/// [low, high] as two numbers, null when it was not measured.
json interval_of(wire::Comparison::Reader compared);
json number_or_null(double value);
bool was_measured(wire::Comparison::Reader compared);

/// "104.2x (99 % interval 103.1 to 105.0, 12 pairs)".
std::string comparison_text(wire::Comparison::Reader compared);
/// "61 % of the f32 multiply add peak"; empty when it is not known.
std::string fraction_text(wire::Comparison::Reader compared);
/// Adds fraction_of_limit and limited_by, null when they are not known.
void put_fraction(json& document, wire::Comparison::Reader compared);
std::string microseconds_text(double microseconds);
/// "1024 KiB", "unknown" for 0.
std::string cache_text(uint32_t bytes);
std::string seconds_text(double seconds);
std::string utc_text(double unix_seconds);
std::string parameters_text(capnp::List<wire::Parameter>::Reader parameters);

/// The graph, read-only beside a writer.
result<std::unique_ptr<graph_store>> open_reader(const run_options& options);

struct stored_exploration {
  exploration_row row;
  std::vector<attempt_record> attempts;  ///< oldest first, at most 100,000: more is read by nobody
};
/// The exploration of this id, as people type it. errc::invalid_input for a text that is none, errc::not_found when
/// there is none; both say where ids are listed.
result<stored_exploration> read_exploration(const run_options& options, const std::string& id);
std::filesystem::path graph_directory(const run_options& options);

}  // namespace kope
