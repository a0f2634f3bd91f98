#include "actors/stage_pool/stage_pool.hpp"

#include "tests/support/probes.hpp"
#include "tests/support/sample_work.hpp"

namespace kope::testing {
namespace {

using namespace std::chrono_literals;
const exploration_id a{1};

class stage_pool_test : public actor_fixture {
protected:
  void start(bool generous_ledger = true, bool last_stage = false) {
    curator = ends_with_test(curator_probe(*system, curator_saw));
    ledger = ends_with_test(ledger_probe(*system, ledger_saw, generous_ledger));
    if (!last_stage) next = ends_with_test(pool_probe(*system, next_saw));
    pool = ends_with_test(spawn_stage_pool(*system,
                                           {.stage = wire::Stage::VERIFY,
                                            .use = core_use::run,
                                            .lease = 10s,
                                            .incarnation = test_incarnation,
                                            .quarantine = [this](const work& w) { quarantined.push_back(w); }},
                                           ledger, curator, next));
    run();
  }
  worker_actor add_worker(bool deadly = false) {
    auto worker = ends_with_test(worker_probe(*system, worker_saw, deadly));
    caf::anon_send(pool, ready_atom::value, worker);
    run();
    return worker;
  }
  /// As if the worker sent it: the pool believes only the one that has the work.
  template <class Message>
  void from_worker(const worker_actor& worker, const Message& message) {
    caf::send_as(caf::actor_cast<caf::actor>(worker), pool, finished_atom::value, message);
    run();
  }

  std::shared_ptr<seen> curator_saw = std::make_shared<seen>(), ledger_saw = std::make_shared<seen>(),
                        next_saw = std::make_shared<seen>(), worker_saw = std::make_shared<seen>();
  std::vector<work> quarantined;
  memory_curator_actor curator;
  core_ledger_actor ledger;
  stage_pool_actor next, pool;
};

TEST_F(stage_pool_test, hands_work_to_an_idle_worker_only_after_the_ledger_granted_a_core) {
  start(false);
  add_worker();
  caf::anon_send(pool, sample_work(a, 1));
  run();
  ASSERT_EQ(ledger_saw->requests.size(), 1u);
  EXPECT_TRUE(worker_saw->works.empty());
  caf::anon_send(pool, grant_atom::value, ledger_saw->requests[0]);
  run();
  EXPECT_EQ(worker_saw->works.size(), 1u);
}

TEST_F(stage_pool_test, passes_finished_work_on_and_gives_the_core_back) {
  start();
  auto worker = add_worker();
  caf::anon_send(pool, sample_work(a, 1));
  run();
  from_worker(worker, sample_work(a, 1));
  EXPECT_EQ(next_saw->works.size(), 1u);
  EXPECT_EQ(ledger_saw->releases, ledger_saw->requests);
  EXPECT_TRUE(curator_saw->outcomes.empty());
}

TEST_F(stage_pool_test, tells_the_ledger_what_a_parcel_weighs_until_its_attempt_ends_here) {
  start();
  auto worker = add_worker();
  caf::anon_send(pool, sample_work(a, 1));
  caf::anon_send(pool, sample_work(a, 2));
  run();
  auto grown = work::changed(*sample_work(a, 1).read(), [](wire::Work::Builder change) {
    change.initVerdict().setDetail(std::string(1000, 'x'));
  });
  from_worker(worker, grown);
  EXPECT_EQ(ledger_saw->held[make_attempt_id(a, 1)], grown.bytes().size());
  caf::anon_send(pool, ready_atom::value, worker);
  run();
  from_worker(worker, sample_outcome(a, 2));
  EXPECT_EQ(ledger_saw->held.at(make_attempt_id(a, 2)), 0u);
}

TEST_F(stage_pool_test, lets_go_of_what_a_cancelled_exploration_had_queued_and_answers_who_waits) {
  start(false, true);
  add_worker();
  caf::scoped_actor self(*system);
  auto asked = self->request(pool, caf::infinite, measure_atom::value, sample_work(a, 0));
  run();
  EXPECT_GT(ledger_saw->held.at(make_attempt_id(a, 0)), 0u);
  caf::anon_send(pool, cancel_atom::value, a);
  run();
  EXPECT_EQ(ledger_saw->held.at(make_attempt_id(a, 0)), 0u);
  auto outcome_was = wire::OutcomeClass::IMPROVED;
  asked.receive([&](const outcome& ended) { outcome_was = ended.read()->getAttempt().getOutcome(); },
                [](caf::error&) { FAIL(); });
  EXPECT_EQ(outcome_was, wire::OutcomeClass::INTERRUPTED);
}

TEST_F(stage_pool_test, sends_an_outcome_to_the_curator_once) {
  start();
  auto worker = add_worker();
  caf::anon_send(pool, sample_work(a, 1));
  run();
  from_worker(worker, sample_outcome(a, 1, wire::OutcomeClass::WRONG_ANSWER));
  from_worker(worker, sample_outcome(a, 1, wire::OutcomeClass::WRONG_ANSWER));
  EXPECT_EQ(curator_saw->outcomes.size(), 1u);
}

TEST_F(stage_pool_test, ignores_an_end_from_somebody_who_does_not_have_the_work) {
  start();
  add_worker();
  auto other = worker_probe(*system, std::make_shared<seen>());
  ends_with_test(other);
  caf::anon_send(pool, sample_work(a, 1));
  run();
  from_worker(other, sample_outcome(a, 1));
  EXPECT_TRUE(curator_saw->outcomes.empty());
}

TEST_F(stage_pool_test, drops_work_of_another_incarnation) {
  start();
  add_worker();
  caf::anon_send(pool, sample_work(a, 1, test_incarnation - 1));
  run();
  EXPECT_TRUE(worker_saw->works.empty());
}

TEST_F(stage_pool_test, ends_a_lease_as_timed_out_and_cancels_the_work) {
  start();
  auto worker = add_worker();
  caf::anon_send(pool, sample_work(a, 1));
  run();
  for (int half_second = 0; half_second < 24; ++half_second) advance(500ms);
  ASSERT_EQ(curator_saw->outcomes.size(), 1u);
  EXPECT_EQ(curator_saw->outcomes[0].read()->getAttempt().getOutcome(), wire::OutcomeClass::TIMED_OUT);
  EXPECT_EQ(worker_saw->cancelled_attempts, std::vector<attempt_id>{make_attempt_id(a, 1)});
  from_worker(worker, sample_work(a, 1));
  EXPECT_TRUE(next_saw->works.empty()) << "late work goes nowhere";
  EXPECT_EQ(ledger_saw->releases.size(), 1u) << "but its core is free again";
}

TEST_F(stage_pool_test, work_that_kills_its_worker_costs_two_tries_one_outcome_and_is_kept) {
  start();
  add_worker(true);
  caf::anon_send(pool, sample_work(a, 1));
  run();
  EXPECT_EQ(worker_saw->works.size(), 1u);
  EXPECT_TRUE(curator_saw->outcomes.empty());
  add_worker(true);
  EXPECT_EQ(worker_saw->works.size(), 2u);
  ASSERT_EQ(curator_saw->outcomes.size(), 1u);
  EXPECT_EQ(curator_saw->outcomes[0].read()->getAttempt().getOutcome(), wire::OutcomeClass::HARNESS_ERROR);
  EXPECT_EQ(quarantined.size(), 1u);
  add_worker();
  caf::anon_send(pool, sample_work(a, 2));
  run();
  EXPECT_EQ(worker_saw->works.size(), 3u) << "the pool goes on";
}

TEST_F(stage_pool_test, answers_a_measure_request_instead_of_committing_it) {
  start(true, true);
  auto worker = add_worker();
  caf::scoped_actor self(*system);
  auto asked = self->request(pool, caf::infinite, measure_atom::value, sample_work(a, 0));
  run();
  from_worker(worker, sample_outcome(a, 0, wire::OutcomeClass::IMPROVED));
  bool answered = false;
  asked.receive([&](const outcome&) { answered = true; }, [](caf::error&) {});
  EXPECT_TRUE(answered);
  EXPECT_TRUE(curator_saw->outcomes.empty());
}

TEST_F(stage_pool_test, answers_status_with_its_stage_and_counts) {
  start(false);
  caf::anon_send(pool, sample_work(a, 1));
  run();
  caf::scoped_actor self(*system);
  auto asked = self->request(pool, caf::infinite, status_atom::value);
  run();
  asked.receive(
      [](const status_report& report) {
        auto view = report.read();
        EXPECT_STREQ(view->getActor().cStr(), "verify_pool");
        EXPECT_STREQ(view->getCounters()[0].getName().cStr(), "queued");
        EXPECT_EQ(view->getCounters()[0].getValue(), 1);
      },
      [](caf::error&) { FAIL(); });
}

}  // namespace
}  // namespace kope::testing
