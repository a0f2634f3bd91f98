#include "actors/memory_curator/memory_curator.hpp"

#include "storage/memory_graph_store.hpp"
#include "tests/support/faulty_graph_store.hpp"
#include "tests/support/probes.hpp"
#include "tests/support/sample_work.hpp"

namespace kope::testing {
namespace {

using namespace std::chrono_literals;

class memory_curator_test : public actor_fixture {
protected:
  void start(std::shared_ptr<graph_store> with) {
    store = std::move(with);
    ledger = ends_with_test(ledger_probe(*system, ledger_saw, true));
    curator = ends_with_test(
        spawn_memory_curator(*system, {.store = store,
                                       .ledger = ledger,
                                       .disk_full_max = 60s,
                                       .cannot_go_on = [this](const std::string& why) { given_up.push_back(why); },
                                       .detached = false}));
    planner = ends_with_test(planner_probe(*system, planner_saw));
    caf::anon_send(curator, own_atom::value, a, planner);
    run();
  }
  outcome ours(uint32_t number, wire::OutcomeClass result = wire::OutcomeClass::CORRECT_NOT_FASTER) {
    return sample_outcome(a, number, result, store->incarnation());
  }
  result<std::optional<attempt_record>> stored(uint32_t number) {
    return (*store->snapshot())->attempt(make_attempt_id(a, number));
  }

  const exploration_id a{1};
  std::shared_ptr<graph_store> store;
  std::shared_ptr<seen> planner_saw = std::make_shared<seen>(), ledger_saw = std::make_shared<seen>();
  std::vector<std::string> given_up;
  core_ledger_actor ledger;
  memory_curator_actor curator;
  planner_actor planner;
};

TEST_F(memory_curator_test, says_committed_after_the_attempt_is_in_the_store) {
  start(make_memory_graph_store());
  caf::anon_send(curator, ours(1));
  run();
  ASSERT_EQ(planner_saw->commits.size(), 1u);
  EXPECT_FALSE(planner_saw->commits[0].read()->getDuplicate());
  EXPECT_TRUE(stored(1)->has_value());
}

TEST_F(memory_curator_test, commits_all_that_waits_in_one_transaction) {
  start(make_memory_graph_store());
  for (uint32_t n = 1; n <= 50; ++n) caf::anon_send(curator, ours(n));
  run();
  EXPECT_EQ(planner_saw->commits.size(), 50u);
  caf::scoped_actor self(*system);
  auto asked = self->request(curator, caf::infinite, status_atom::value);
  run();
  asked.receive(
      [](const status_report& report) {
        auto view = report.read();
        for (auto counter : view->getCounters())
          if (counter.getName() == "transactions") {
            EXPECT_LE(counter.getValue(), 2);
          }
      },
      [](caf::error&) { FAIL(); });
}

TEST_F(memory_curator_test, acknowledges_a_second_outcome_of_an_attempt_and_keeps_the_first) {
  start(make_memory_graph_store());
  caf::anon_send(curator, ours(1, wire::OutcomeClass::IMPROVED));
  run();
  caf::anon_send(curator, ours(1, wire::OutcomeClass::CRASHED));
  run();
  ASSERT_EQ(planner_saw->commits.size(), 2u);
  EXPECT_TRUE(planner_saw->commits[1].read()->getDuplicate());
  EXPECT_EQ(planner_saw->commits[1].read()->getAttempt().getOutcome(), wire::OutcomeClass::IMPROVED);
}

TEST_F(memory_curator_test, drops_what_another_incarnation_says) {
  start(make_memory_graph_store());
  caf::anon_send(curator, sample_outcome(a, 1, wire::OutcomeClass::IMPROVED, store->incarnation() + 1));
  run();
  EXPECT_TRUE(planner_saw->commits.empty());
  EXPECT_FALSE(stored(1)->has_value());
}

TEST_F(memory_curator_test, open_rows_of_an_earlier_start_become_interrupted_before_anything_else) {
  std::shared_ptr<graph_store> earlier = make_memory_graph_store();
  ASSERT_TRUE(earlier->commit(commit_batch{.opened = {sample_open_row(a, 4, earlier->incarnation())}}).ok());
  start(earlier);
  auto attempt = stored(4);
  ASSERT_TRUE(attempt->has_value());
  EXPECT_EQ((*attempt)->read()->getOutcome(), wire::OutcomeClass::INTERRUPTED);
  EXPECT_TRUE((*store->snapshot())->open_rows()->empty());
}

TEST_F(memory_curator_test, interrupts_the_open_rows_of_one_exploration_when_its_planner_died) {
  start(make_memory_graph_store());
  caf::anon_send(curator, sample_open_row(a, 1, store->incarnation()));
  caf::anon_send(curator, sample_open_row(exploration_id{2}, 1, store->incarnation()));
  caf::anon_send(curator, ours(1));
  run();
  caf::anon_send(curator, sample_open_row(a, 2, store->incarnation()));
  run();
  caf::scoped_actor self(*system);
  auto asked = self->request(curator, caf::infinite, interrupt_atom::value, a);
  run();
  asked.receive([](uint32_t count) { EXPECT_EQ(count, 1u); }, [](caf::error&) { FAIL(); });
  EXPECT_EQ((*store->snapshot())->open_rows()->size(), 1u) << "the other exploration's";
}

TEST_F(memory_curator_test, refuses_only_the_record_that_breaks_a_batch_and_its_attempt_still_ends) {
  start(make_memory_graph_store());
  auto broken = outcome::changed(*ours(2).read(), [](wire::Outcome::Builder change) {
    change.setSource("int x;");
    change.getAttempt().setSourceHash("not the hash of it");
  });
  caf::anon_send(curator, ours(1));
  caf::anon_send(curator, broken);
  caf::anon_send(curator, ours(3));
  run();
  EXPECT_EQ(planner_saw->commits.size(), 3u) << "every ticket comes back";
  EXPECT_TRUE(stored(1)->has_value());
  EXPECT_TRUE(stored(3)->has_value());
  ASSERT_TRUE(stored(2)->has_value());
  EXPECT_EQ((*stored(2))->read()->getOutcome(), wire::OutcomeClass::HARNESS_ERROR);
}

TEST_F(memory_curator_test, waits_out_a_full_disk_and_loses_nothing) {
  auto faulty = std::make_shared<failing_commits>(make_memory_graph_store());
  start(faulty);
  faulty->fail_until_recovery({errc::disk_full, "no space left"});
  caf::anon_send(curator, ours(1));
  run();
  EXPECT_TRUE(planner_saw->commits.empty()) << "nothing is acknowledged that is not on disk";
  EXPECT_EQ(ledger_saw->pauses, std::vector<bool>{true}) << "pools stop handing out";
  caf::anon_send(curator, ours(2));
  for (int second = 0; second < 5; ++second) advance(1s);
  EXPECT_TRUE(planner_saw->commits.empty());
  faulty->recover();
  advance(1s);
  EXPECT_EQ(planner_saw->commits.size(), 2u);
  EXPECT_EQ(ledger_saw->pauses, (std::vector<bool>{true, false}));
}

TEST_F(memory_curator_test, says_once_that_it_cannot_go_on_when_the_disk_was_full_for_longer_than_it_waits) {
  auto faulty = std::make_shared<failing_commits>(make_memory_graph_store());
  start(faulty);
  faulty->fail_until_recovery({errc::disk_full, "no space left"});
  caf::anon_send(curator, ours(1));
  run();
  for (int second = 0; second < 59; ++second) advance(1s);
  EXPECT_TRUE(given_up.empty());
  for (int second = 0; second < 10; ++second) advance(1s);
  ASSERT_EQ(given_up.size(), 1u);
  EXPECT_NE(given_up[0].find("full for 60 s (no space left)"), std::string::npos) << given_up[0];
  EXPECT_TRUE(planner_saw->commits.empty());
}

TEST_F(memory_curator_test, begins_to_wait_anew_when_there_was_room_in_between) {
  auto faulty = std::make_shared<failing_commits>(make_memory_graph_store());
  start(faulty);
  for (uint32_t number = 1; number <= 3; ++number) {
    faulty->fail_until_recovery({errc::disk_full, "no space left"});
    caf::anon_send(curator, ours(number));
    run();
    for (int second = 0; second < 40; ++second) advance(1s);
    faulty->recover();
    advance(1s);
  }
  EXPECT_TRUE(given_up.empty());
  EXPECT_EQ(planner_saw->commits.size(), 3u);
}

TEST_F(memory_curator_test, a_new_exploration_gets_an_id_and_its_records_are_stored) {
  start(make_memory_graph_store());
  caf::scoped_actor self(*system);
  auto task_is = task_record::build([](wire::TaskRecord::Builder r) { r.setKey(std::string(64, 'a')); });
  auto target = target_record::build([](wire::TargetRecord::Builder r) { r.setKey(std::string(64, 'b')); });
  auto toolchain = toolchain_record::build([](wire::ToolchainRecord::Builder r) { r.setKey(std::string(64, 'c')); });
  auto asked = self->request(curator, caf::infinite, create_atom::value, sample_row({}), task_is, target, toolchain,
                             std::string("void kernel();"));
  run();
  std::string id;
  asked.receive([&](const exploration_row& row) { id = row.read()->getId().cStr(); }, [](caf::error&) {});
  auto parsed = exploration_id::parse(id);
  ASSERT_TRUE(parsed && *parsed);
  auto snapshot = store->snapshot();
  EXPECT_TRUE((*snapshot)->exploration(*parsed)->has_value());
  EXPECT_TRUE((*snapshot)->task(std::string(64, 'a'))->has_value());
  EXPECT_TRUE((*snapshot)->toolchain(std::string(64, 'c'))->has_value());
}

}  // namespace
}  // namespace kope::testing
