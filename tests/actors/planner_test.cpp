// The planner's shell under simulated time: what it asks of whom, and when it ends.
#include "actors/planner/planner.hpp"

#include "actors/planner/policies/local_search.hpp"
#include "messages/content_hash.hpp"
#include "storage/memory_graph_store.hpp"
#include "tests/support/probes.hpp"
#include "tests/support/sample_work.hpp"

namespace kope::testing {
namespace {

using namespace std::chrono_literals;

/// Answers the first `measure` as interrupted where that is wanted, and no other one ever.
stage_pool_actor silent_pool(caf::actor_system& system, std::shared_ptr<seen> to, bool interrupts_first) {
  return system.spawn(
      [to, interrupts_first](stage_pool_actor::stateful_pointer<caf::typed_response_promise<outcome>> self)
          -> stage_pool_actor::behavior_type {
        return {[](status_atom) { return empty_status(); },
                [to](cancel_atom, exploration_id id) { to->cancelled.push_back(id); },
                [](const work&) {},
                [self, to, interrupts_first](measure_atom, const work& content) -> caf::result<outcome> {
                  to->works.push_back(content);
                  if (interrupts_first && to->works.size() == 1)
                    return outcome_of(*content.read(), wire::OutcomeClass::INTERRUPTED, wire::Stage::PROFILE, "");
                  return self->state = self->make_response_promise<outcome>();
                },
                [](ready_atom, const worker_actor&) {},
                [](finished_atom, const work&) {},
                [](finished_atom, const outcome&) {},
                [](grant_atom, uint64_t) {},
                [](tick_atom) {}};
      });
}

class planner_test : public actor_fixture {
protected:
  void start(uint32_t attempts, uint32_t tickets, bool generous_ledger) {
    curator = ends_with_test(curator_probe(*system, curator_saw));
    ledger = ends_with_test(ledger_probe(*system, ledger_saw, generous_ledger));
    pool = ends_with_test(silent_pool(*system, pool_saw, interrupts_first_measure));
    planner = ends_with_test(spawn_planner(
        *system,
        {.row = sample_row(a, attempts, tickets),
         .store = store,
         .make_policy = [](std::string_view, parameter_space space) { return make_local_search(std::move(space)); },
         .incarnation = test_incarnation},
        {.coder = ends_with_test(coder_probe(*system, coder_saw, sample_space())),
         .curator = curator,
         .ledger = ledger,
         .profile_pool = pool,
         .pools = {pool},
         .watcher = ends_with_test(watcher_probe(*system, watcher_saw))}));
    run();
  }
  /// The n-th attempt is in the store, and the planner hears of it.
  void commit(uint32_t n, wire::OutcomeClass result) {
    auto asked = coder_saw->plans.at(n - 1).read();
    auto ended = outcome::changed(*outcome_of(*work::build([&](wire::Work::Builder w) { w.setPlan(*asked); }).read(),
                                              result, wire::Stage::PROFILE, "")
                                       .read(),
                                  [](wire::Outcome::Builder change) {
                                    change.setSource("int x;");
                                    change.getAttempt().setSourceHash(content_hash("int x;"));
                                  });
    auto receipts = store->commit(commit_batch{.outcomes = {ended}});
    ASSERT_TRUE(receipts.ok()) << receipts.failure().what;
    caf::anon_send(planner, committed::build([&](wire::Committed::Builder message) {
                     auto stored = (*receipts)[0].stored.read();
                     message.setHeader(stored->getHeader());
                     message.setStep(static_cast<double>((*receipts)[0].step));
                     message.setAttempt(*stored);
                   }));
    run();
  }

  const exploration_id a{1};
  std::shared_ptr<graph_store> store = make_memory_graph_store();
  std::shared_ptr<seen> curator_saw = std::make_shared<seen>(), ledger_saw = std::make_shared<seen>(),
                        pool_saw = std::make_shared<seen>(), coder_saw = std::make_shared<seen>(),
                        watcher_saw = std::make_shared<seen>();
  bool interrupts_first_measure = false;
  memory_curator_actor curator;
  core_ledger_actor ledger;
  stage_pool_actor pool;
  planner_actor planner;
};

TEST_F(planner_test, begins_nothing_that_was_not_admitted) {
  start(10, 4, false);
  EXPECT_EQ(ledger_saw->wanted, std::vector<uint32_t>{4});
  EXPECT_TRUE(coder_saw->plans.empty());
  for (int tick = 0; tick < 10; ++tick) advance(500ms);
  EXPECT_EQ(ledger_saw->wanted, std::vector<uint32_t>{4}) << "it asks once for each free ticket";
  caf::anon_send(planner, admit_atom::value, uint32_t{3});
  run();
  EXPECT_EQ(coder_saw->plans.size(), 3u);
  EXPECT_EQ(curator_saw->opened.size(), 3u);
}

TEST_F(planner_test, gives_an_admission_back_when_its_attempt_is_on_disk_and_asks_for_the_next) {
  start(10, 2, true);
  ASSERT_EQ(coder_saw->plans.size(), 2u);
  commit(1, wire::OutcomeClass::CORRECT_NOT_FASTER);
  EXPECT_EQ(ledger_saw->left, std::vector<uint32_t>{1});
  EXPECT_EQ(ledger_saw->wanted, (std::vector<uint32_t>{2, 1}));
  EXPECT_EQ(coder_saw->plans.size(), 3u);
}

TEST_F(planner_test, gives_back_what_it_has_no_attempt_for) {
  start(2, 2, true);
  ASSERT_EQ(coder_saw->plans.size(), 2u);
  caf::anon_send(planner, admit_atom::value, uint32_t{3});
  run();
  EXPECT_EQ(coder_saw->plans.size(), 2u);
  EXPECT_EQ(ledger_saw->left, std::vector<uint32_t>{3});
}

TEST_F(planner_test, measures_its_winner_once_more_when_that_was_interrupted) {
  interrupts_first_measure = true;
  start(1, 1, true);
  commit(1, wire::OutcomeClass::IMPROVED);
  EXPECT_EQ(pool_saw->works.size(), 2u);
  EXPECT_TRUE(watcher_saw->finished.empty());
}

TEST_F(planner_test, is_cancelled_while_its_winner_is_measured_without_waiting_for_the_end) {
  start(1, 1, true);
  ASSERT_EQ(coder_saw->plans.size(), 1u);
  commit(1, wire::OutcomeClass::IMPROVED);
  ASSERT_EQ(pool_saw->works.size(), 1u) << "the winner is being measured";
  caf::anon_send(planner, cancel_atom::value, a);
  run();
  EXPECT_EQ(pool_saw->cancelled, std::vector<exploration_id>{a});
  ASSERT_EQ(watcher_saw->finished.size(), 1u);
  auto row = watcher_saw->finished[0].read();
  EXPECT_EQ(row->getState(), wire::ExplorationState::CANCELLED);
  EXPECT_STREQ(row->getIncumbent().cStr(), make_attempt_id(a, 1).text().c_str()) << "what was found is kept";
  EXPECT_EQ(ledger_saw->cancelled, std::vector<exploration_id>{a});
}

}  // namespace
}  // namespace kope::testing
