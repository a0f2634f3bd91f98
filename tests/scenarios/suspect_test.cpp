// A tool that answers faster than the device can: nothing that it says becomes a result, now or from memory.
#include "storage/memory_graph_store.hpp"
#include "tests/scenarios/whole_exploration.hpp"

namespace kope::testing {
namespace {

/// One operation takes 50 us at least on this device.
std::shared_ptr<known_limits> limits_of_the_machine() {
  auto record = limits_record::build([](wire::LimitsRecord::Builder made) {
    auto limit = made.initLimits(1)[0];
    limit.setResource(wire::Resource::F32_MULTIPLY_ADD_PEAK);
    limit.setPerSecond(1 / 50e-6);
  });
  return std::make_shared<known_limits>(std::vector{record}, nullptr);
}

class suspect_test : public ::testing::Test {
protected:
  suspect_test() { on.bench->limits = limits_of_the_machine(); }

  exploration_row explored(uint32_t attempts) {
    program_start program(on, store);
    auto started = program.explore(wish(on, attempts));
    program.follow();
    return stored_row(*store, id_of_row(started));
  }

  machine on;
  std::shared_ptr<graph_store> store = make_memory_graph_store();
};

/// Every fourth source, about, answers in a microsecond.
bool lies(const std::string& source_hash) { return std::string_view("0123").find(source_hash[0]) != std::string::npos; }

TEST_F(suspect_test, impossible_times_are_suspect_and_the_best_possible_one_wins) {
  on.bench->answers = [](const std::string& hash, bool) { return lies(hash) ? 1 : fake_bench::microseconds_of(hash); };
  auto row = explored(30);
  auto id = id_of_row(row);
  ASSERT_GT(count(*store, id, wire::OutcomeClass::SUSPECT), 0u) << "this seed meets such sources";
  double best = fake_bench::reference_microseconds;
  std::string winner;
  for (auto& attempt : attempts_of(*store, id)) {
    auto view = attempt.read();
    std::string hash = view->getSourceHash().cStr();
    if (view->getStage() != wire::Stage::PROFILE) continue;
    EXPECT_EQ(view->getOutcome() == wire::OutcomeClass::SUSPECT, lies(hash));
    if (view->getOutcome() != wire::OutcomeClass::IMPROVED) continue;
    best = std::min(best, view->getPromotion().getCandidateMicroseconds());
    winner = view->getHeader().getAttempt().cStr();
  }
  EXPECT_GE(best, 100);
  EXPECT_STREQ(row.read()->getIncumbent().cStr(), winner.c_str());
  EXPECT_EQ(row.read()->getSpeedup().getCandidateMicroseconds(), best);
}

TEST_F(suspect_test, they_are_not_recalled_by_the_next_exploration) {
  on.bench->answers = [](const std::string& hash, bool) { return lies(hash) ? 1 : fake_bench::microseconds_of(hash); };
  explored(30);
  auto second = id_of_row(explored(5));
  size_t recalled = 0;
  for (auto& attempt : attempts_of(*store, second)) {
    auto view = attempt.read();
    for (auto from : view->getInjected()) {
      auto found = (*store->snapshot())->attempt(*attempt_id::parse(std::string_view(from.cStr())));
      ASSERT_TRUE(found.ok() && found->has_value());
      EXPECT_EQ((**found).read()->getOutcome(), wire::OutcomeClass::IMPROVED);
      ++recalled;
    }
  }
  EXPECT_GT(recalled, 0u);
}

TEST_F(suspect_test, a_winner_that_is_suspect_when_it_is_measured_at_the_end_is_no_winner) {
  on.bench->answers = [](const std::string& hash, bool of_winner) {
    return of_winner ? 1 : fake_bench::microseconds_of(hash);
  };
  auto stored = explored(10);
  auto row = stored.read();
  EXPECT_EQ(row->getState(), wire::ExplorationState::FINISHED);
  EXPECT_EQ(row->getIncumbent().size(), 0u);
  EXPECT_EQ(row->getSpeedup().getPairs(), 0u);
  EXPECT_NE(std::string(row->getStopReason().cStr()).find("suspect"), std::string::npos) << row->getStopReason().cStr();
}

}  // namespace
}  // namespace kope::testing
