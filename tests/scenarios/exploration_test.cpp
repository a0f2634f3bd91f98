// Whole explorations with the real actors: what must hold whatever happens on the way. Each attempt is committed once,
// what is acknowledged is in the store (program_start checks it for every scenario), the budget is spent exactly.

#include <algorithm>
#include <map>

#include "storage/memory_graph_store.hpp"
#include "tests/scenarios/whole_exploration.hpp"
#include "tests/support/faulty_graph_store.hpp"

namespace kope::testing {
namespace {

using answer = fake_compiler::answer;

class exploration_test : public ::testing::Test {
protected:
  std::shared_ptr<graph_store> memory = make_memory_graph_store();
  machine on;
};

TEST_F(exploration_test, spends_its_budget_commits_every_attempt_once_and_measures_the_winner) {
  program_start program(on, memory);
  auto started = program.explore(wish(on, 10));
  auto end = program.follow();
  expect_whole(*memory, id_of_row(started), 10);
  EXPECT_LE(on.bench->sources_of_one_number_max(), 1u);
  auto row = end.row.read();
  EXPECT_STREQ(row->getStopReason().cStr(), "attempts");
  EXPECT_EQ(counted(end.commits), 10u) << "the watcher sees each of them";

  auto attempts = attempts_of(*memory, id_of_row(started));
  double best = fake_bench::reference_microseconds;
  std::string winner;
  for (auto& attempt : attempts) {
    auto view = attempt.read();
    if (view->getOutcome() != wire::OutcomeClass::IMPROVED) continue;
    EXPECT_LT(view->getPromotion().getCandidateMicroseconds(), best) << "a promotion beats the one before";
    best = view->getPromotion().getCandidateMicroseconds();
    winner = view->getHeader().getAttempt().cStr();
  }
  EXPECT_FALSE(winner.empty());
  EXPECT_STREQ(row->getIncumbent().cStr(), winner.c_str());
  EXPECT_EQ(row->getSpeedup().getAgainst(), "reference");
  EXPECT_DOUBLE_EQ(row->getSpeedup().getRatio(), fake_bench::reference_microseconds / best);
}

TEST_F(exploration_test, counts_sources_that_do_not_compile) {
  on.tool->behaviour = [](uint64_t n, const std::string&) {
    return n % 3 == 0 ? answer::failed_build : answer::artifact;
  };
  program_start program(on, memory);
  auto started = program.explore(wish(on, 10));
  program.follow();
  expect_whole(*memory, id_of_row(started), 10);
  EXPECT_EQ(count(*memory, id_of_row(started), wire::OutcomeClass::BUILD_FAILED), 3u);
}

TEST_F(exploration_test, two_explorations_share_the_program_and_neither_spends_from_the_other) {
  program_start program(on, memory);
  auto first = program.explore(wish(on, 6));
  auto second = program.explore(wish(on, 9));
  program.follow();
  program.follow();
  expect_whole(*memory, id_of_row(first), 6);
  expect_whole(*memory, id_of_row(second), 9);
}

TEST_F(exploration_test, waits_out_a_full_disk_and_loses_nothing) {
  auto disk = std::make_shared<failing_commits>(memory);
  disk->fail(5, {errc::disk_full, "no room, says this test"}, 2);
  program_start program(on, disk);
  auto started = program.explore(wish(on, 10));
  auto end = program.follow();
  EXPECT_GT(disk->commits(), 7u) << "the disk was full on the way, not at the end";
  expect_whole(*memory, id_of_row(started), 10);
  EXPECT_EQ(counted(end.commits), 10u);
  EXPECT_LE(on.bench->sources_of_one_number_max(), 1u);
}

TEST_F(exploration_test, ends_the_program_with_one_sentence_when_the_disk_stays_full_and_the_next_start_goes_on) {
  auto disk = std::make_shared<failing_commits>(memory);
  on.disk_full_max = std::chrono::seconds(0);  // the first refusal is one too many
  exploration_id id;
  {
    program_start program(on, disk);
    id = id_of_row(program.explore(wish(on, 10)));
    size_t seen = 0;
    auto end = program.follow([&](const committed&) {
      if (++seen == 3) disk->fail_until_recovery({errc::disk_full, "no room, says this test"});
    });
    EXPECT_NE(end.fatal.find("disk of the experience graph has been full for 0 s (no room, says this test)"),
              std::string::npos)
        << end.fatal;
  }
  disk->recover();
  program_start program(on, disk);
  program.explore(stored_row(*memory, id));
  program.follow();
  expect_whole(*memory, id, 10);
}

TEST_F(exploration_test, is_stopped_while_a_full_disk_holds_up_its_creation) {
  auto disk = std::make_shared<failing_commits>(memory);
  disk->fail_until_recovery({errc::disk_full, "no room, says this test"});
  program_start program(on, disk);
  program.ask_for(wish(on, 10));
  program.stop();
  auto end = program.follow();
  ASSERT_TRUE(end.row) << end.fatal;
  EXPECT_EQ(end.row.read()->getId().size(), 0u) << "it was never stored";
  EXPECT_EQ(end.row.read()->getState(), wire::ExplorationState::RUNNING);
}

TEST_F(exploration_test, takes_a_batch_apart_that_fails_for_another_reason_than_the_disk) {
  auto disk = std::make_shared<failing_commits>(memory);
  disk->fail(6, {errc::io, "this batch is refused by this test"});
  program_start program(on, disk);
  auto started = program.explore(wish(on, 10));
  auto end = program.follow();
  ASSERT_TRUE(end.row) << end.fatal;
  EXPECT_EQ(end.row.read()->getState(), wire::ExplorationState::FINISHED);
  EXPECT_EQ(end.row.read()->getSpentAttempts(), 10u);
}

TEST_F(exploration_test, a_compiler_that_never_answers_costs_one_attempt_its_lease) {
  // the fakes answer at once, so that only what never answers lives this long, however busy the machine is
  on.leases.compile = std::chrono::seconds(3);
  on.tool->behaviour = [](uint64_t n, const std::string&) { return n == 4 ? answer::never : answer::artifact; };
  program_start program(on, memory);
  auto started = program.explore(wish(on, 10));
  program.follow();
  expect_whole(*memory, id_of_row(started), 10);
  EXPECT_EQ(count(*memory, id_of_row(started), wire::OutcomeClass::TIMED_OUT), 1u);
  EXPECT_EQ(on.tool->cancelled(), 1u) << "its child is not left running";
}

TEST_F(exploration_test, a_cancelled_one_ends_at_once_and_leaves_nothing_open_and_the_other_goes_on) {
  program_start program(on, memory);
  auto cancelled = id_of_row(program.explore(wish(on, 1000)));
  auto other = id_of_row(program.explore(wish(on, 12)));
  size_t seen = 0;
  auto first = program.follow([&](const committed&) {
    if (++seen == 6) program.cancel(cancelled);
  });
  auto second = program.follow();
  std::map<exploration_id, wire::ExplorationState> ends;
  for (auto* end : {&first, &second}) ends[id_of_row(end->row)] = end->row.read()->getState();
  EXPECT_EQ(ends[cancelled], wire::ExplorationState::CANCELLED);
  EXPECT_EQ(ends[other], wire::ExplorationState::FINISHED);
  EXPECT_LT(stored_row(*memory, cancelled).read()->getSpentAttempts(), 1000u);
  auto open = (*memory->snapshot())->open_rows();
  EXPECT_TRUE(open->empty());
}

TEST_F(exploration_test, never_has_more_in_flight_than_the_machine_allows_however_many_explorations_there_are) {
  program_start program(on, memory);
  constexpr int explorations = 40;  // of four tickets: 160, and two cores allow 128
  for (int i = 0; i < explorations; ++i) program.explore(wish(on, 8));
  size_t most_open = 0;
  for (int i = 0; i < explorations; ++i) {
    program.follow([&](const committed&) {
      auto open = (*memory->snapshot())->open_rows();
      most_open = std::max(most_open, open->size());
    });
  }
  EXPECT_LE(most_open, 128u);
}

TEST_F(exploration_test, is_stopped_in_the_middle_and_resumed_without_a_number_used_twice) {
  scratch_directory disk;
  exploration_id id;
  {
    auto store = opened(disk);
    program_start program(on, store);
    id = id_of_row(program.explore(wish(on, 40)));
    size_t seen = 0;
    auto end = program.follow([&](const committed&) {
      if (++seen == 4) program.stop();
    });
    ASSERT_TRUE(end.row);
    EXPECT_EQ(end.row.read()->getState(), wire::ExplorationState::RUNNING);
    EXPECT_LT(end.row.read()->getSpentAttempts(), 40u);
  }
  auto store = opened(disk);
  program_start program(on, store);
  program.explore(stored_row(*store, id));
  auto end = program.follow();
  expect_whole(*store, id, 40);
  EXPECT_LE(on.bench->sources_of_one_number_max(), 1u);
}

TEST_F(exploration_test, is_stopped_before_it_began_and_resumed) {
  scratch_directory disk;
  exploration_id id;
  {
    auto store = opened(disk);
    program_start program(on, store);
    id = id_of_row(program.explore(wish(on, 8)));
    program.stop();
    EXPECT_TRUE(program.follow().row) << "the planner says that it ended, whatever it was doing";
  }
  auto store = opened(disk);
  program_start program(on, store);
  auto row = stored_row(*store, id);
  if (row.read()->getState() == wire::ExplorationState::RUNNING) {
    program.explore(row);
    program.follow();
  }
  expect_whole(*store, id, 8);
}

}  // namespace
}  // namespace kope::testing
