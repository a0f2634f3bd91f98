// Two explorations of one program are killed at any moment: nothing that was acknowledged is lost, nothing is done
// twice, no process is left.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <sstream>

#include "messages/enum_names.hpp"
#include "storage/lmdb_graph_store.hpp"
#include "tests/support/program.hpp"

namespace kope::testing {
namespace {

using namespace std::chrono_literals;

/// (exploration, number) -> outcome
using attempts = std::map<std::pair<std::string, uint32_t>, std::string>;

class two_explorations_test : public ::testing::Test {
protected:
  program start(uint32_t budget, uint32_t seconds) {
    return program(home, {KOPE_TEST_DATA "/tasks/small_matmul", std::to_string(budget), std::to_string(seconds)}, {},
                   KOPE_TWO_EXPLORATIONS);
  }

  /// What whole lines say. A line that was cut by a kill counts as not said.
  void remember(const std::string& out) {
    std::istringstream lines(out.substr(0, out.rfind('\n') + 1));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string what, exploration, outcome;
      uint32_t number = 0;
      words >> what >> exploration;
      if (what != "attempt") continue;
      words >> number >> outcome;
      auto [known, fresh] = said.emplace(std::pair{exploration, number}, outcome);
      EXPECT_TRUE(fresh) << line << " was acknowledged before as " << known->second;
    }
  }

  program_home home;
  attempts said;
};

TEST_F(two_explorations_test, go_on_after_kills_at_random_moments) {
  bool long_run = getenv("KOPE_TEST_ALL");
  int kills = long_run ? 100 : 10;
  // Ten kills take less than half a minute: both spend all their attempts, on a slow machine too. A hundred take two
  // minutes, of which each exploration has the seconds here and at least one acknowledged attempt.
  uint32_t budget = long_run ? 200 : 8;
  uint32_t seconds = long_run ? 180 : 3600;
  auto seed = std::random_device{}();
  std::mt19937 random(seed);
  SCOPED_TRACE("moments drawn from seed " + std::to_string(seed));
  std::uniform_int_distribution<int> milliseconds(300, long_run ? 2000 : 5000);

  int in_the_middle = 0;
  for (int kill = 0; kill < kills; ++kill) {
    auto running = start(budget, seconds);
    auto moment = milliseconds(random);
    running.read_for(std::chrono::milliseconds(moment));
    running.kill(SIGKILL);
    EXPECT_EQ(processes_left_after(home, 2s), std::vector<std::string>()) << "kill " << kill << " after " << moment;
    auto ended = running.end_within(program::patience);
    in_the_middle += ended == -SIGKILL;
    remember(running.out());
    if (ended == 0) break;  // a quick machine: both were done before the kill
    ASSERT_EQ(ended, -SIGKILL) << running.err();
  }
  EXPECT_GT(in_the_middle, 0);
  auto last = start(budget, seconds);
  ASSERT_EQ(last.end_within(5min), 0) << last.err();
  remember(last.out());
  EXPECT_EQ(processes_left_after(home, 2s), std::vector<std::string>());

  auto store = open_lmdb_graph_store((home.data() / "graph").string(), store_access::read);
  ASSERT_TRUE(store.ok()) << store.failure().what;
  auto graph = std::move(*(*store)->snapshot());
  auto rows = graph->explorations(10);
  ASSERT_EQ(rows->size(), 2u) << "each resumed instead of starting another";
  attempts kept;
  for (auto& row : *rows) {
    auto view = row.read();
    EXPECT_EQ(view->getState(), wire::ExplorationState::FINISHED) << view->getStopReason().cStr();
    std::string id = view->getId().cStr();
    uint32_t spent = 0;
    auto stored = graph->attempts_after(*exploration_id::parse(id), 0, 10'000);
    ASSERT_TRUE(stored.ok()) << stored.failure().what;
    for (auto& attempt : *stored) {
      auto record = attempt.read();
      auto outcome = record->getOutcome();
      EXPECT_TRUE(kept.emplace(std::pair{id, record->getHeader().getNumber()}, enum_name(outcome)).second)
          << id << ' ' << record->getHeader().getNumber() << " is there twice";
      spent += outcome != wire::OutcomeClass::INTERRUPTED && outcome != wire::OutcomeClass::DUPLICATE;
    }
    EXPECT_LE(spent, budget) << id;
    EXPECT_EQ(view->getSpentAttempts(), spent) << id << ": the budget is what the attempts are";
  }
  EXPECT_TRUE(graph->open_rows()->empty());
  std::set<std::string> heard_of;
  for (auto& [attempt, outcome] : said) {
    heard_of.insert(attempt.first);
    EXPECT_EQ(kept[attempt], outcome) << attempt.first << ' ' << attempt.second << " was acknowledged";
  }
  EXPECT_EQ(heard_of.size(), 2u) << "both were running";
}

}  // namespace
}  // namespace kope::testing
