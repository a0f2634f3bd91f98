// Two explorations in one program, with the real tools and the real store: `kope run` has only one. They begin or go on
// where the graph in $KOPE_DATA_DIR ends. Used by tests/daemon/two_explorations_test.cpp.
//
//   two_explorations TASK_FOLDER ATTEMPTS SECONDS
//
// stdout: "attempt EXPLORATION NUMBER OUTCOME" for each that is on disk, "ended EXPLORATION STATE".
#include <cstdlib>
#include <iostream>

#include "daemon/commands/report.hpp"
#include "daemon/exploring.hpp"
#include "daemon/runtime.hpp"
#include "daemon/signals.hpp"
#include "messages/enum_names.hpp"
#include "storage/lmdb_graph_store.hpp"

namespace kope::testing {
namespace {

constexpr uint32_t seeds[] = {11, 12};  // each is one of the two, whenever the program starts

/// The stored row of this seed in whatever state.
std::optional<exploration_row> stored(const graph_store& store, uint32_t seed) {
  auto rows = (*store.snapshot())->explorations(10);
  for (auto& row : *rows)
    if (row.read()->getSpec().getSeed() == seed) return row;
  return std::nullopt;
}

int failed(const error& why) {
  std::cerr << "two_explorations: " << why.what << '\n';
  return 1;
}

int run(const std::string& folder, uint32_t attempts, double seconds) {
  run_options options;
  options.data_dir.value = std::getenv("KOPE_DATA_DIR");
  auto of = task_named(folder);
  if (!of) return failed(of.failure());
  auto timed = timed_case_of(*of, "");
  if (!timed) return failed(timed.failure());
  auto opened = open_lmdb_graph_store(graph_directory(options).string(), store_access::write);
  if (!opened) return failed(opened.failure());
  std::shared_ptr<graph_store> store = std::move(*opened);
  auto tools = open_tool_box(options, {*of}, 1);
  if (!tools) return failed(tools.failure());

  runtime running(**tools, store, {.measure_winner = false});
  size_t open = 0;
  for (auto seed : seeds) {
    auto row = stored(*store, seed);
    if (!row)
      row = new_row(**tools, *of,
                    {.timed_case = *timed,
                     .attempts = attempts,
                     .seconds = seconds,
                     .seed = seed,
                     .tickets = 4,
                     .policy = "local_search",
                     .coder = "schedule"});
    if (row->read()->getState() != wire::ExplorationState::RUNNING) continue;
    ++open;
    running.explore(*row);
  }
  while (open > 0) {
    auto event = running.wait(std::chrono::milliseconds(200));
    if (!event) continue;
    if (auto* attempt = std::get_if<committed>(&event->what)) {
      auto header = attempt->read();
      std::cout << "attempt " << header->getHeader().getExploration().cStr() << ' ' << header->getHeader().getNumber()
                << ' ' << enum_name(header->getAttempt().getOutcome()) << std::endl;
    } else if (auto* row = std::get_if<exploration_row>(&event->what)) {
      --open;
      auto view = row->read();
      std::cout << "ended " << view->getId().cStr() << ' ' << enum_name(view->getState()) << std::endl;
    } else {
      return failed({errc::internal, std::get<std::string>(event->what)});
    }
  }
  return 0;
}

}  // namespace
}  // namespace kope::testing

int main(int count, char** values) {
  kope::block_signals();
  if (count != 4) return 2;
  return kope::testing::run(values[1], static_cast<uint32_t>(std::atoi(values[2])), std::atof(values[3]));
}
