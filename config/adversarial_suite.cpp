#include "config/adversarial_suite.hpp"

#include <algorithm>

#include "config/nearest_name.hpp"
#include "config/task_files.hpp"
#include "config/toml_reader.hpp"
#include "messages/enum_names.hpp"

namespace kope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = "//#";
constexpr size_t source_file_bytes_max = size_t{256} << 10;  // what the compiler takes
constexpr size_t outcomes_max = 14;                          // there are no more classes
constexpr size_t defences_max = 4;                           // a source that needs more tries several things
constexpr size_t flags_max = 16;

/// The header's lines without their mark; other lines are left empty, so that TOML's line numbers are the file's.
std::string header_of(std::string_view text) {
  std::string header;
  while (text.starts_with(mark)) {
    auto end = text.find('\n');
    header += text.substr(mark.size(), end == std::string_view::npos ? end : end - mark.size());
    header += '\n';
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return header;
}

std::vector<std::string_view> known_defences() {
  std::vector<std::string_view> names;
  for (auto& each : defence_names()) names.push_back(each.name);
  return names;
}

void check_defence(const strict_table& header, std::string_view key, const std::string& name) {
  auto known = known_defences();
  if (std::find(known.begin(), known.end(), name) == known.end())
    header.fail(key,
                "there is no defence '" + name + "'; the nearest is '" + std::string(nearest_name(name, known)) + "'");
}

suite_source read_source(const fs::path& path, const std::string& folder, bool hostile) {
  suite_source source;
  source.text = read_text_file(path, source_file_bytes_max);
  source.hostile = hostile;
  source.name = folder + "/" + path.stem().string();
  auto document = parse_toml(header_of(source.text), path.string());
  strict_table header(document, path.string(), "",
                      {"task", "case", "tries", "outcomes", "caught_by", "needs", "flags"});
  source.task = header.text("task");
  source.timed_case = header.text_or("case", "");
  source.tries = header.text("tries");
  for (auto& name : header.texts("outcomes", outcomes_max)) {
    auto outcome = enum_value<wire::OutcomeClass>(name);
    if (!outcome) header.fail("outcomes", "there is no outcome '" + name + "'");
    if (hostile && *outcome == wire::OutcomeClass::IMPROVED)
      header.fail("outcomes", "a hostile source is never 'improved'");
    source.outcomes.push_back(*outcome);
  }
  if (source.outcomes.empty()) header.fail("outcomes", "'outcomes' names none");
  source.caught_by = header.texts_or("caught_by", defences_max);
  if (hostile && source.caught_by.empty()) header.fail("", "a hostile source names the defence that catches it");
  if (!hostile && !source.caught_by.empty()) header.fail("caught_by", "an honest source is not caught");
  for (auto& name : source.caught_by) check_defence(header, "caught_by", name);
  source.needs = header.text_or("needs", "");
  if (!source.needs.empty()) check_defence(header, "needs", source.needs);
  source.flags = header.texts_or("flags", flags_max);
  return source;
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    if (it->path().extension() != ".cpp")
      throw bad_file(errc::invalid_input, it->path().string() + " is no C++ source; the suite holds nothing else");
    files.push_back(it->path());
    if (files.size() > suite_sources_max)
      throw bad_file(errc::invalid_input,
                     folder.string() + " holds more than " + std::to_string(suite_sources_max) + " sources");
  }
  if (failed)
    throw bad_file(errc::not_found, folder.string() + " cannot be listed as a folder of sources: " + failed.message());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

const std::vector<defence_name>& defence_names() {
  static const std::vector<defence_name> names = {
      {"fresh_inputs", "other contents in every call"},
      {"distinct_slots", "other addresses in every call of a batch"},
      {"poison", "outputs that hold poison before a call"},
      {"full_comparison", "comparison of every element"},
      {"random_sample", "elements compared at random in every batch"},
      {"freeze", "the process is stopped before anything is looked at"},
      {"unclocked_work", "CPU time that was used outside of the clock counts"},
      {"guard_pages", "pages around each tensor that cannot be touched"},
      {"shared_process", "cases that follow each other in one process"},
      {"hidden_cases", "cases that a coder is told nothing about"},
      {"drawn_shape", "a shape that nobody knows before"},
      {"tolerance", "tolerances measured against the oracle"},
      {"special_values", "NaN and infinities have to be in their places"},
      {"all_zero_rule", "an output of zeros is wrong whatever the tolerance"},
      {"sealed_inputs", "inputs that cannot be made writable"},
      {"parent_clock", "the only clock is the parent's"},
      {"oracle_elsewhere", "expected values are never in the candidate's process"},
      {"handshake", "an exit status or a text says nothing"},
      {"deadline", "a deadline for every call"},
      {"paired_timing", "two processes in turn, and an interval for their ratio"},
      {"compiler", "the compiler refuses it"},
      {"compiler_limits", "limits of time, memory and output for the compiler"},
      {"rlimit", "limits of the runner's process"},
      {"screen", "the artifact is looked at before it is loaded"},
      {"seccomp", "system calls that a kernel does not need are refused"},
      {"landlock", "no file can be opened"},
      {"namespace", "no network, no other processes, no files of the machine"},
  };
  return names;
}

result<adversarial_suite> load_adversarial_suite(const fs::path& directory) {
  return read_strictly<adversarial_suite>(directory.string(), [&] {
    adversarial_suite suite;
    auto tasks = load_tasks(directory / "tasks");
    if (!tasks) throw bad_file(tasks.failure().code, tasks.failure().what);
    suite.tasks = std::move(*tasks);
    for (std::string folder : {"hostile", "honest"})
      for (auto& path : files_of(directory / folder))
        suite.sources.push_back(read_source(path, folder, folder == "hostile"));
    return suite;
  });
}

}  // namespace kope
