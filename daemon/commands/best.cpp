// kope best: the best verified source of an exploration or a task, and what is needed to use it.

#include <filesystem>
#include <fstream>
#include <iostream>

#include "actors/evaluation/kernel_shim.hpp"
#include "config/share.hpp"
#include "config/toolchain_files.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/commands/own_task.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/exported.hpp"
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

struct build_lines {
  std::string kernel;    ///< builds the source the way it was judged
  std::string compiler;  ///< the program alone
};

result<build_lines> build_lines_of(const found& best, bool c) {
  auto share = share_directory();
  if (!share) return share.failure();
  auto row = best.row.read();
  auto description = load_toolchain(*share / "config" / "toolchains", row->getSpec().getToolchain().cStr());
  if (!description) return description.failure();
  std::string line = description->program;
  for (auto& flag : description->base_flags)
    if (!c || !flag.starts_with("-std=")) line += " " + flag;
  if (c)
    for (auto& flag : description->c_flags) line += " " + flag;
  auto attempt = best.attempt.read();
  for (auto flag : attempt->getFlags()) line += std::string(" ") + flag.cStr();
  return build_lines{line + (c ? " -o kernel.so kernel.c" : " -o kernel.so kernel.cpp"), description->program};
}

result<unit> write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return error{errc::io, path.string() + " cannot be written"};
  return unit{};
}

/// The extensions that the target of this attempt has.
std::vector<std::string> isa_of(const graph_snapshot& graph, wire::Attempt::Reader attempt) {
  std::vector<std::string> isa;
  auto target = graph.target(std::string_view(attempt.getTarget().cStr()));
  if (!target || !*target) return isa;
  auto view = (*target)->read();
  for (auto name : view->getIsa()) isa.emplace_back(name.cStr());
  return isa;
}

/// What a person does with it: ./build.sh makes kernel.so and kernel_test; ./kernel_test says whether it is right here.
std::string build_script(const found& best, const build_lines& lines, const std::string& suffix, bool c) {
  auto row = best.row.read();
  std::string plain = lines.compiler + (c ? " -xc" : " -std=c++20") + " -O2 -w -fPIC";
  std::string libraries = "";
  auto attempt = best.attempt.read();
  for (auto flag : attempt->getFlags())
    if (std::string_view(flag.cStr()) == "-fopenmp") libraries = " -fopenmp";
  return "#!/bin/sh\n# kernel.so as it was judged, with " + std::string(row->getSpec().getToolchain().cStr()) +
         "; kernel_test compares it with the reference\nset -e\ncd \"$(dirname \"$0\")\"\n" + lines.kernel + "\n" +
         plain + " -c -o isa_guard.o isa_guard" + suffix + "\n" + plain + " -c -o kernel_reference.o kernel_reference" +
         suffix + "\n" + plain + " -c -o kernel_test.o kernel_test" + suffix + "\n" + lines.compiler +
         " -o kernel_test kernel_test.o kernel_reference.o isa_guard.o -L. -l:kernel.so -Wl,-rpath,'$ORIGIN'" +
         libraries + " -lm\n";
}

/// Names of the files that were written.
result<std::vector<std::string>> export_to(const std::filesystem::path& folder, const found& best, const task& of,
                                           const build_lines& lines, const std::vector<std::string>& isa) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return error{errc::io, folder.string() + " cannot be made: " + failed.message()};
  auto row = best.row.read();
  auto described = of.read();
  bool c = described->getLanguage() == wire::Language::C;
  std::string suffix = c ? ".c" : ".cpp";
  // exported by name: the build line hides everything else, as it was judged
  std::string declaration = signature(*described);
  std::string prefix = c ? "" : "extern \"C\" ";
  declaration.insert(prefix.size(), "__attribute__((visibility(\"default\"))) ");
  std::string types = "#include <stddef.h>\n#include <stdint.h>\n\n";
  std::string fraction = fraction_text(row->getSpeedup());
  std::string opening = c ? "#ifdef __cplusplus\nextern \"C\" {\n#endif\n" : "";
  std::string end = c ? "#ifdef __cplusplus\n}\n#endif\n" : "";
  std::string header =
      "// " + std::string(row->getSpec().getTask().cStr()) + ": " + comparison_text(row->getSpeedup()) +
      " against the reference on the case " + row->getSpec().getTimedCase().cStr() +
      (fraction.empty() ? "" : "\n// " + fraction) + "\n#pragma once\n\n" + types + opening + declaration + "\n" +
      prefix + "int kernel_supported(void);  // isa_guard" + suffix + ": 0 where the CPU lacks what it needs\n" + end;
  std::vector<std::pair<std::string, std::string>> files = {
      {"kernel.h", header},
      // without the header, so that `kope eval` and any compiler take the one file
      {"kernel" + suffix, types + declaration + "\n\n" + best.source},
      {"isa_guard" + suffix, isa_guard_text(isa)},
      {"kernel_reference" + suffix, test_reference_text(*described)},
      {"kernel_test" + suffix, test_program_text(*described)},
      {"build.sh", build_script(best, lines, suffix, c)}};
  if (c) {
    // "gemm of matrix.c": the file that the task was made from
    std::string title = described->getTitle().cStr();
    auto of_file = title.rfind(" of ");
    auto name = of_file == title.npos ? std::string("kernel.c") : title.substr(of_file + 4);
    auto before = own_file_of(described->getReference().cStr()), after = own_file_of(best.source);
    std::string flags;
    auto attempt = best.attempt.read();
    for (auto flag : attempt->getFlags()) flags += std::string(" ") + flag.cStr();
    files.emplace_back(name + ".patch", "For " + name + ": apply with `patch -p1`, and build it with\n " + flags +
                                            "\n" + patch_text(before, after, name));
  }
  std::vector<std::string> names;
  for (auto& [name, text] : files) {
    if (auto done = write(folder / name, text); !done) return done.failure();
    names.push_back(name);
  }
  std::filesystem::permissions(folder / "build.sh", std::filesystem::perms(0755), failed);
  return names;
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
  auto row = best->row.read();
  auto of = task_of(*options, row->getSpec());
  if (!of) return report_error(of.failure());
  auto lines = build_lines_of(*best, of->read()->getLanguage() == wire::Language::C);
  if (!lines) return report_error(lines.failure());
  if (!arguments.export_directory.empty()) {
    auto done = export_to(arguments.export_directory, *best, *of, *lines, isa_of(**snapshot, *best->attempt.read()));
    if (!done) return report_error(done.failure());
    std::string names;
    for (size_t i = 0; i < done->size(); ++i)
      names += (i == 0 ? "" : i + 1 == done->size() ? " and " : ", ") + (*done)[i];
    std::cerr << names << " are in " << arguments.export_directory << '\n';
  }
  if (arguments.shared.json) {
    json document;
    document["exploration"] = row->getId().cStr();
    document["task"] = row->getSpec().getTask().cStr();
    document["case"] = row->getSpec().getTimedCase().cStr();
    document["speedup"] =
        was_measured(row->getSpeedup()) ? number_or_null(row->getSpeedup().getRatio()) : json(nullptr);
    document["interval"] = interval_of(row->getSpeedup());
    put_fraction(document, row->getSpeedup());
    document["build"] = lines->kernel;
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
