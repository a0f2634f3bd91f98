// Actors under simulated time: CAF's testing scheduler runs everything on the test's thread, the clock moves when the
// test says so. Probes stand for neighbours: typed actors that keep what they are sent.
#pragma once

#include <gtest/gtest.h>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <map>
#include <memory>
#include <vector>

#include "messages/actors.hpp"
#include "messages/parcel_caf.hpp"
#include "messages/type_ids.hpp"

namespace kope::testing {

class actor_fixture : public ::testing::Test {
protected:
  actor_fixture() {
    add_message_types(config);
    config.set("scheduler.policy", caf::atom("testing"));
    system = std::make_unique<caf::actor_system>(config);
    scheduler = &dynamic_cast<caf::scheduler::test_coordinator&>(system->scheduler());
  }

  ~actor_fixture() override {
    for (auto& handle : to_end) caf::anon_send_exit(handle, caf::exit_reason::kill);
    to_end.clear();
    // timers hold their actors: let them fire into the void
    for (int i = 0; i < 3; ++i) {
      scheduler->run();
      scheduler->advance_time(std::chrono::hours(1));
    }
    scheduler->run();
  }

  void run() { scheduler->run(); }
  void advance(std::chrono::milliseconds by) {
    scheduler->advance_time(by);
    scheduler->run();
  }

  /// Ended with the test.
  template <class Handle>
  Handle ends_with_test(Handle handle) {
    to_end.push_back(caf::actor_cast<caf::actor>(handle));
    return handle;
  }

  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  caf::scheduler::test_coordinator* scheduler = nullptr;
  std::vector<caf::actor> to_end;
};

/// What the probes of one test were sent.
struct seen {
  std::vector<outcome> outcomes;  // curator, or a pool's caller
  std::vector<open_row> opened;
  std::vector<exploration_row> rows;
  std::vector<work> works;                // a pool or worker
  std::vector<plan> plans;                // coder
  std::vector<committed> commits;         // planner or watcher
  std::vector<exploration_row> finished;  // watcher
  std::vector<uint64_t> requests;         // ledger
  std::vector<uint64_t> releases;
  std::vector<uint32_t> wanted, left;   // ledger, of planners
  std::map<attempt_id, uint64_t> held;  // ledger: the last bytes that a pool said
  std::vector<uint32_t> admitted;       // planner
  std::vector<bool> pauses;
  std::vector<attempt_id> cancelled_attempts;
  std::vector<exploration_id> cancelled;
};

inline status_report empty_status() {
  return status_report::build([](wire::Status::Builder) {});
}

}  // namespace kope::testing
