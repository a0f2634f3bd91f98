// kope best: the best verified source of an exploration or a task, and what is needed to use it.

#include <filesystem>
#include <fstream>
#include <iostream>

#include "actors/evaluation/kernel_shim.hpp"
#include "config/share.hpp"
#include "config/toolchain_files.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/tool_box.hpp"
#include "messages/json.hpp"

namespace kope {
namespace {

constexpr size_t searched_max = 1000;

struct found {
  exploration_row row;
  attempt_record attempt;
  std::string source;
};

/// The named exploration, or the one with the largest measured speed-up of a task; of all, the newest with a best.
result<found> find_best(const graph_snapshot& graph, const std::string& which) {
  auto rows = graph.explorations(searched_max);
  if (!rows) return rows.failure();
  std::optional<exploration_row> chosen;
  double best = 0;
  for (auto& row : *rows) {
    auto view = row.read();
    if (view->getIncumbent().size() == 0) continue;
    if (which == view->getId().cStr() || which.empty()) {
      chosen = row;
      break;
    }
    if (which != view->getSpec().getTask().cStr()) continue;
    double speedup = was_measured(view->getSpeedup()) ? view->getSpeedup().getRatio() : 0;
    if (!chosen || speedup > best) {
      chosen = row;
      best = speedup;
    }
  }
  if (!chosen)
    return error{errc::not_found, which.empty() ? "no exploration has a verified improvement yet; `kope run` makes one"
                                                : "neither an exploration nor a task with a verified improvement is "
                                                  "called \"" +
                                                      which + "\"; see `kope list`"};
  auto id = attempt_id::parse(std::string_view(chosen->read()->getIncumbent().cStr())).value_or(attempt_id{});
  auto attempt = graph.attempt(id);
  if (!attempt) return attempt.failure();
  if (!*attempt) return error{errc::internal, "attempt " + id.text() + " is not in the graph"};
  auto source = graph.source(std::string_view((*attempt)->read()->getSourceHash().cStr()));
  if (!source) return source.failure();
  if (!*source) return error{errc::internal, "the source of attempt " + id.text() + " is not in the graph"};
  return found{*chosen, **attempt, **source};
}

/// The command that builds the source the way it was judged.
result<std::string> build_line(const found& best) {
  auto share = share_directory();
  if (!share) return share.failure();
  auto row = best.row.read();
  auto description = load_toolchain(*share / "config" / "toolchains", row->getSpec().getToolchain().cStr());
  if (!description) return description.failure();
  std::string line = description->program;
  for (auto& flag : description->base_flags) line += " " + flag;
  auto attempt = best.attempt.read();
  for (auto flag : attempt->getFlags()) line += std::string(" ") + flag.cStr();
  return line + " -o kernel.so kernel.cpp";
}

result<unit> write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return error{errc::io, path.string() + " cannot be written"};
  return unit{};
}

result<unit> export_to(const std::filesystem::path& folder, const found& best, const std::string& line) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return error{errc::io, folder.string() + " cannot be made: " + failed.message()};
  auto row = best.row.read();
  auto of = task_named(std::string_view(row->getSpec().getTask().cStr()));
  if (!of) return of.failure();
  // exported by name: the build line hides everything else, as it was judged
  std::string declaration = signature(*of->read());
  std::string prefix = "extern \"C\" ";
  declaration.insert(prefix.size(), "__attribute__((visibility(\"default\"))) ");
  std::string types = "#include <stddef.h>\n#include <stdint.h>\n\n";
  std::string fraction = fraction_text(row->getSpeedup());
  std::string header = "// " + std::string(row->getSpec().getTask().cStr()) + ": " +
                       comparison_text(row->getSpeedup()) + " against the reference on the case " +
                       row->getSpec().getTimedCase().cStr() + (fraction.empty() ? "" : "\n// " + fraction) +
                       "\n#pragma once\n\n" + types + declaration + "\n";
  if (auto done = write(folder / "kernel.h", header); !done) return done;
  // without the header, so that `kope eval` and any compiler take the one file
  if (auto done = write(folder / "kernel.cpp", types + declaration + "\n\n" + best.source); !done) return done;
  return write(folder / "build.sh", "#!/bin/sh\n# as it was judged, with " +
                                        std::string(row->getSpec().getToolchain().cStr()) +
                                        "\nset -e\ncd \"$(dirname \"$0\")\"\n" + line + "\n");
}

}  // namespace

int best_command(const best_arguments& arguments) {
  auto options = options_of(arguments.shared);
  if (!options) return report_error(options.failure());
  auto store = open_reader(*options);
  if (!store) return report_error(store.failure());
  auto snapshot = (*store)->snapshot();
  if (!snapshot) return report_error(snapshot.failure());
  auto best = find_best(**snapshot, arguments.which);
  if (!best) return report_error(best.failure());
  auto line = build_line(*best);
  if (!line) return report_error(line.failure());
  if (!arguments.export_directory.empty()) {
    auto done = export_to(arguments.export_directory, *best, *line);
    if (!done) return report_error(done.failure());
    std::cerr << "kernel.cpp, kernel.h and build.sh are in " << arguments.export_directory << '\n';
  }
  auto row = best->row.read();
  if (arguments.shared.json) {
    json document;
    document["exploration"] = row->getId().cStr();
    document["task"] = row->getSpec().getTask().cStr();
    document["case"] = row->getSpec().getTimedCase().cStr();
    document["speedup"] =
        was_measured(row->getSpeedup()) ? number_or_null(row->getSpeedup().getRatio()) : json(nullptr);
    document["interval"] = interval_of(row->getSpeedup());
    put_fraction(document, row->getSpeedup());
    document["build"] = *line;
    document["attempt"] = to_json(*best->attempt.read());
    document["source"] = best->source;
    print_json(document);
  } else if (arguments.export_directory.empty()) {
    if (auto fraction = fraction_text(row->getSpeedup()); !fraction.empty())
      std::cerr << comparison_text(row->getSpeedup()) << " against the reference, " << fraction << '\n';
    std::cout << best->source;
  }
  return exit_done;
}

}  // namespace kope
