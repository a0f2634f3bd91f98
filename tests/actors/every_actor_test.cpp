// Every interface of messages/actors.hpp has `status` and `cancel`: each actor is asked for both, with nothing to do
// and about an exploration that it does not know, and lives on. (The watcher belongs to the runtime; probes stand for
// it.)
#include <map>

#include "actors/coder/coder.hpp"
#include "actors/compiler/compile_worker.hpp"
#include "actors/core_ledger/core_ledger.hpp"
#include "actors/memory_curator/memory_curator.hpp"
#include "actors/planner/planner.hpp"
#include "actors/planner/policies/local_search.hpp"
#include "actors/profiler/profile_worker.hpp"
#include "actors/stage_pool/stage_pool.hpp"
#include "actors/verifier/verify_worker.hpp"
#include "storage/memory_graph_store.hpp"
#include "tests/support/fake_tools.hpp"
#include "tests/support/probes.hpp"
#include "tests/support/sample_work.hpp"

namespace kope::testing {
namespace {

class every_actor_test : public actor_fixture {
protected:
  /// What it calls itself, before and after a cancel.
  template <class Handle>
  std::string asked(Handle actor) {
    run();
    std::string before = name_of(actor);
    caf::anon_send(actor, cancel_atom::value, exploration_id{99});
    run();
    EXPECT_EQ(name_of(actor), before) << "it died of a cancel";
    return before;
  }

  std::shared_ptr<seen> saw = std::make_shared<seen>();
  std::shared_ptr<graph_store> store = make_memory_graph_store();
  std::shared_ptr<device_threads> threads = std::make_shared<device_threads>(1);
  core_ledger_actor ledger = ends_with_test(ledger_probe(*system, saw, true));
  memory_curator_actor curator = ends_with_test(curator_probe(*system, saw));
  stage_pool_actor pool = ends_with_test(pool_probe(*system, saw));
  coder_actor coder = ends_with_test(coder_probe(*system, saw, sample_space()));
  watcher_actor watcher = ends_with_test(watcher_probe(*system, saw));

private:
  template <class Handle>
  std::string name_of(const Handle& actor) {
    caf::scoped_actor self(*system);
    auto question = self->request(actor, caf::infinite, status_atom::value);
    run();
    std::string name;
    question.receive([&](const status_report& report) { name = report.read()->getActor().cStr(); },
                     [&](const caf::error& failed) { ADD_FAILURE() << system->render(failed); });
    return name;
  }
};

TEST_F(every_actor_test, the_core_ledger) {
  EXPECT_EQ(asked(ends_with_test(spawn_core_ledger(*system, {2, [] { return true; }, [] {}}))), "core_ledger");
}

TEST_F(every_actor_test, the_memory_curator) {
  EXPECT_EQ(asked(ends_with_test(spawn_memory_curator(*system, {.store = store, .ledger = ledger, .detached = false}))),
            "memory_curator");
}

TEST_F(every_actor_test, a_stage_pool) {
  EXPECT_EQ(asked(ends_with_test(spawn_stage_pool(*system, {}, ledger, curator, pool))), "compile_pool");
}

TEST_F(every_actor_test, both_coders) {
  auto no_task = [](std::string_view) -> const task* { return nullptr; };
  EXPECT_EQ(asked(ends_with_test(spawn_schedule_coder(*system, {no_task, store}, {pool, curator}))), "schedule coder");
  EXPECT_EQ(asked(ends_with_test(spawn_given_coder(*system, "int x;", {}, {pool, curator}))), "given coder");
}

TEST_F(every_actor_test, the_workers_of_all_stages) {
  auto no_task = [](std::string_view) -> const task* { return nullptr; };
  auto banks = std::make_shared<bank_registry>(std::vector<task>{}, bench_tools{}, 1);
  EXPECT_EQ(asked(ends_with_test(spawn_compile_worker(*system, {std::make_shared<fake_compiler>(), no_task}, pool))),
            "compile_worker");
  EXPECT_EQ(asked(ends_with_test(spawn_verify_worker(*system, {threads, banks}, pool))), "verify_worker");
  EXPECT_EQ(
      asked(ends_with_test(spawn_profile_worker(*system, {threads, banks, std::make_shared<artifact_memory>()}, pool))),
      "profile_worker");
}

TEST_F(every_actor_test, a_planner) {
  auto planner = ends_with_test(spawn_planner(
      *system,
      {.row = sample_row(exploration_id{1}),
       .store = store,
       .make_policy = [](std::string_view, parameter_space space) { return make_local_search(std::move(space)); }},
      {.coder = coder,
       .curator = curator,
       .ledger = ledger,
       .profile_pool = pool,
       .pools = {pool},
       .watcher = watcher}));
  EXPECT_EQ(asked(planner), "planner " + exploration_id{1}.text());
}

TEST_F(every_actor_test, a_cancelled_worker_ends_early_what_it_has_in_hand_and_says_so) {
  int begun = 0, ended_early = 0;
  auto worker = ends_with_test(spawn_stage_worker(
      *system, "worker",
      [&](const work&, const worker_actor&) {
        ++begun;
        return end_early([&] { ++ended_early; });
      },
      pool));
  caf::anon_send(worker, sample_work(exploration_id{1}, 1));
  run();
  caf::anon_send(worker, cancel_atom::value, exploration_id{2});
  run();
  EXPECT_EQ(ended_early, 0) << "of another exploration";
  caf::anon_send(worker, cancel_atom::value, exploration_id{1});
  caf::anon_send(worker, cancel_atom::value, make_attempt_id(exploration_id{1}, 1));
  run();
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(ended_early, 2);
  caf::anon_send(worker, finished_atom::value, sample_outcome(exploration_id{1}, 1));
  caf::anon_send(worker, cancel_atom::value, exploration_id{1});
  run();
  EXPECT_EQ(ended_early, 2) << "nothing is in hand any more";
}

}  // namespace
}  // namespace kope::testing
