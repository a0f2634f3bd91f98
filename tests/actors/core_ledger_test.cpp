// The ledger's shell: who is told what.
#include "actors/core_ledger/core_ledger.hpp"

#include "actors/core_ledger/admission_core.hpp"
#include "tests/support/probes.hpp"
#include "tests/support/sample_work.hpp"

namespace kope::testing {
namespace {

class core_ledger_test : public actor_fixture {
protected:
  core_ledger_test() {
    ledger = ends_with_test(spawn_core_ledger(*system, {1, [] { return true; }, [] {}}));
    planner = ends_with_test(planner_probe(*system, planner_saw));
    other = ends_with_test(planner_probe(*system, other_saw));
    pool = ends_with_test(pool_probe(*system, pool_saw));
  }
  template <class... Message>
  void tell(Message... message) {
    caf::anon_send(ledger, message...);
    run();
  }
  double counter(const std::string& name) {
    caf::scoped_actor self(*system);
    auto question = self->request(ledger, caf::infinite, status_atom::value);
    run();
    double value = -1;
    question.receive(
        [&](const status_report& report) {
          auto view = report.read();
          for (auto each : view->getCounters())
            if (name == each.getName().cStr()) value = each.getValue();
        },
        [](caf::error&) {});
    return value;
  }

  const exploration_id a{1}, b{2};
  std::shared_ptr<seen> planner_saw = std::make_shared<seen>(), other_saw = std::make_shared<seen>(),
                        pool_saw = std::make_shared<seen>();
  core_ledger_actor ledger;
  planner_actor planner, other;
  stage_pool_actor pool;
};

TEST_F(core_ledger_test, admits_up_to_the_limit_over_all_explorations_and_shows_it) {
  tell(admit_atom::value, a, uint32_t{60}, planner);
  tell(admit_atom::value, b, uint32_t{10}, other);
  EXPECT_EQ(planner_saw->admitted, std::vector<uint32_t>{60});
  EXPECT_EQ(other_saw->admitted, std::vector<uint32_t>{4});
  EXPECT_EQ(counter("attempts_in_flight"), 64);
  EXPECT_EQ(counter("attempts_in_flight_max"), 64);
  EXPECT_EQ(counter("attempts_waiting_to_begin"), 6);
  tell(leave_atom::value, a, uint32_t{2});
  EXPECT_EQ(other_saw->admitted, (std::vector<uint32_t>{4, 2}));
}

TEST_F(core_ledger_test, gives_what_a_cancelled_exploration_had_to_the_others) {
  tell(admit_atom::value, a, uint32_t{64}, planner);
  tell(admit_atom::value, b, uint32_t{8}, other);
  EXPECT_TRUE(other_saw->admitted.empty());
  tell(cancel_atom::value, a);
  EXPECT_EQ(other_saw->admitted, std::vector<uint32_t>{8});
  EXPECT_EQ(counter("attempts_in_flight"), 8);
}

TEST_F(core_ledger_test, admits_nothing_while_paused) {
  tell(pause_atom::value, true);
  tell(admit_atom::value, a, uint32_t{1}, planner);
  EXPECT_TRUE(planner_saw->admitted.empty());
  tell(pause_atom::value, false);
  EXPECT_EQ(planner_saw->admitted, std::vector<uint32_t>{1});
}

TEST_F(core_ledger_test, a_compile_waits_while_parcels_leave_no_room_for_its_artifact) {
  for (uint32_t n = 1; n <= 32; ++n) tell(hold_atom::value, make_attempt_id(a, n), artifact_bytes_max);
  EXPECT_EQ(counter("parcel_mebibytes"), 256);
  EXPECT_EQ(counter("parcel_mebibytes_max"), 256);
  tell(acquire_atom::value, static_cast<uint8_t>(core_use::compile), uint64_t{1}, pool);
  EXPECT_TRUE(pool_saw->requests.empty());
  tell(hold_atom::value, make_attempt_id(a, 1), uint64_t{0});
  EXPECT_EQ(pool_saw->requests, std::vector<uint64_t>{1});
}

}  // namespace
}  // namespace kope::testing
