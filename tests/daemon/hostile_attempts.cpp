// Judges hostile sources one after another in one program, with the real tools and a graph on disk, and says what the
// program holds in between. Used by tests/daemon/hostile_attempts_test.cpp.
//
//   hostile_attempts COUNT SOURCES     the first SOURCES of those that end before anything is timed, in turn
//
// stdout: "after ATTEMPTS anonymous_kib descriptors children scratch graph_bytes" and the figures, once when every
// source was judged once and once at the end; "outcome NAME OUTCOME" for each attempt.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "config/adversarial_suite.hpp"
#include "config/share.hpp"
#include "config/task_files.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/exploring.hpp"
#include "daemon/judging.hpp"
#include "daemon/signals.hpp"
#include "messages/enum_names.hpp"
#include "storage/lmdb_graph_store.hpp"

namespace kope::testing {
namespace {

namespace fs = std::filesystem;

int failed(const std::string& why) {
  std::cerr << "hostile_attempts: " << why << '\n';
  return 1;
}

size_t number_in_status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10);
  return 0;
}

size_t children_of_ours() {
  size_t found = 0;
  std::error_code gone;
  for (fs::directory_iterator at("/proc", gone), end; !gone && at != end; at.increment(gone)) {
    std::ifstream file(at->path() / "stat");
    std::string text;
    std::getline(file, text);
    auto name_end = text.rfind(") ");
    if (name_end == std::string::npos) continue;
    std::istringstream rest(text.substr(name_end + 2));
    std::string state;
    pid_t parent = 0;
    rest >> state >> parent;
    found += parent == getpid();
  }
  return found;
}

size_t entries(const fs::path& directory) {
  size_t found = 0;
  std::error_code gone;
  for (fs::recursive_directory_iterator at(directory, gone), end; !gone && at != end; at.increment(gone)) ++found;
  return found;
}

void say(size_t attempts, const fs::path& data, const graph_store& store) {
  auto snapshot = store.snapshot();
  auto counts = snapshot ? (*snapshot)->counts() : result<store_counts>(snapshot.failure());
  std::cout << "after " << attempts << ' ' << number_in_status("RssAnon") << ' ' << entries("/proc/self/fd") << ' '
            << children_of_ours() << ' ' << entries(data / "scratch") << ' ' << (counts ? counts->bytes_on_disk : 0)
            << std::endl;
}

/// Those that end before anything is timed and without waiting for a deadline: a thousand of them are minutes.
bool ends_early(const suite_source& source) {
  using wire::OutcomeClass;
  if (!source.hostile || source.caught_by.front() == "compiler_limits") return false;
  for (auto outcome : source.outcomes)
    if (outcome == OutcomeClass::CORRECT_NOT_FASTER || outcome == OutcomeClass::UNDECIDED ||
        outcome == OutcomeClass::TIMED_OUT || outcome == OutcomeClass::OUT_OF_MEMORY)
      return false;
  return true;
}

int run(size_t count, size_t most) {
  run_options options;
  options.data_dir.value = std::getenv("KOPE_DATA_DIR");
  auto share = share_directory();
  if (!share) return failed(share.failure().what);
  auto suite = load_adversarial_suite(*share / "config" / "adversarial");
  if (!suite) return failed(suite.failure().what);
  auto tasks = load_tasks(*share / "tasks");
  if (!tasks) return failed(tasks.failure().what);
  tasks->insert(tasks->begin(), suite->tasks.begin(), suite->tasks.end());
  std::vector<const suite_source*> chosen;
  for (auto& source : suite->sources)
    if (ends_early(source) && chosen.size() < most) chosen.push_back(&source);
  auto opened = open_lmdb_graph_store(graph_directory(options).string(), store_access::write);
  if (!opened) return failed(opened.failure().what);
  std::shared_ptr<graph_store> store = std::move(*opened);
  auto tools = open_tool_box(options, *tasks, 1);
  if (!tools) return failed(tools.failure().what);

  for (size_t done = 0; done < count;) {
    auto& source = *chosen[done % chosen.size()];
    auto of = std::find_if(tasks->begin(), tasks->end(),
                           [&](const task& each) { return source.task == each.read()->getName().cStr(); });
    if (of == tasks->end()) return failed("no task " + source.task);
    auto timed = timed_case_of(*of, source.timed_case);
    if (!timed) return failed(timed.failure().what);
    auto judged = judge_source(**tools, *of, {source.text, source.flags, *timed}, store);
    if (!judged) return failed(judged.failure().what);
    if (judged->signal) return 128 + judged->signal;
    std::cout << "outcome " << source.name << ' ' << enum_name(judged->attempt.read()->getOutcome()) << '\n';
    ++done;
    if (done == chosen.size() || done == count) say(done, options.data_dir.value, *store);
  }
  return 0;
}

}  // namespace
}  // namespace kope::testing

int main(int count, char** values) {
  kope::block_signals();
  if (count != 3) return 2;
  return kope::testing::run(std::strtoull(values[1], nullptr, 10), std::strtoull(values[2], nullptr, 10));
}
