// One start of the program without its processes: the real actors under the real supervisor on a real actor system,
// with a store, a compiler and judges of the test. Used by tests/scenarios.
#pragma once

#include <gtest/gtest.h>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actors/planner/policies/local_search.hpp"
#include "config/task_files.hpp"
#include "daemon/supervisor.hpp"
#include "messages/parcel_caf.hpp"
#include "messages/type_ids.hpp"
#include "tests/support/fake_tools.hpp"
#include "toolchains/device.hpp"

namespace kope::testing {

/// What stays when the program ends: the machine and the disk. A scenario changes what it wants to go wrong.
struct machine {
  std::shared_ptr<fake_compiler> tool = std::make_shared<fake_compiler>();
  std::shared_ptr<fake_bench> bench = std::make_shared<fake_bench>();
  std::function<result<std::unique_ptr<policy>>(std::string_view, parameter_space)> make_policy =
      [](std::string_view, parameter_space space) { return make_local_search(std::move(space)); };
  stage_leases leases;
  std::optional<std::chrono::seconds> disk_full_max;
  std::vector<work> quarantined;
  task of = *load_task(KOPE_TEST_DATA "/tasks/small_matmul");
  target_record target = *detect_target(1);
};

class program_start {
public:
  using event = std::variant<committed, exploration_row, std::string>;

  program_start(machine& on, std::shared_ptr<graph_store> store) : store_(std::move(store)) {
    add_message_types(config_);
    config_.set("scheduler.policy", caf::atom("sharing"));
    config_.set("scheduler.max-threads", 2);
    system_ = std::make_unique<caf::actor_system>(config_);
    watching_ = system_->spawn(watcher, this);
    auto threads = std::make_shared<device_threads>(3);
    supervisor_ =
        spawn_supervisor(*system_, {.store = store_,
                                    .tool = on.tool,
                                    .banks = std::make_shared<bank_registry>(std::vector{on.of}, bench_tools{}, 1),
                                    .threads = threads,
                                    .target = on.target,
                                    .toolchain = toolchain_record::build([](wire::ToolchainRecord::Builder record) {
                                      record.setKey(std::string(64, 'c'));
                                      record.setName("fake");
                                    }),
                                    .cores = 2,
                                    .make_policy = on.make_policy,
                                    .try_machine_lock = [] { return true; },
                                    .release_machine_lock = [] {},
                                    .quarantine = [&on](const work& kept) { on.quarantined.push_back(kept); },
                                    .begins = {on.bench->verifying(threads), on.bench->profiling(threads)},
                                    .leases = on.leases,
                                    .disk_full_max = on.disk_full_max,
                                    .on_fatal = [this](std::string why) { push(std::move(why)); }});
  }
  /// Ends all actors and waits for them; one that does not end is a test that does not.
  ~program_start() {
    stop();
    supervisor_ = nullptr;
    caf::anon_send_exit(watching_, caf::exit_reason::user_shutdown);
    watching_ = nullptr;
  }
  program_start(const program_start&) = delete;
  program_start& operator=(const program_start&) = delete;

  /// A row without an id is a new exploration. Fails the test when it cannot be started.
  exploration_row explore(const exploration_row& row) {
    caf::scoped_actor self(*system_, true);
    exploration_row started;
    self->request(supervisor_, std::chrono::seconds(60), explore_atom::value, row, watching_)
        .receive([&](const exploration_row& stored) { started = stored; },
                 [&](const caf::error& failed) { ADD_FAILURE() << system_->render(failed); });
    return started;
  }

  /// The same without waiting for the answer, which a full disk may hold up.
  void ask_for(const exploration_row& row) {
    caf::anon_send(caf::actor_cast<caf::actor>(supervisor_), explore_atom::value, row, watching_);
  }

  void cancel(exploration_id id) { caf::anon_send(supervisor_, cancel_atom::value, id); }
  void stop() { caf::anon_send(supervisor_, stop_atom::value); }

  struct ended {
    exploration_row row;  ///< empty when the program could not go on
    std::string fatal;    ///< why it could not
    std::vector<committed> commits;
  };
  /// Waits for the end; `on_commit` is called for each attempt that was said to be on disk.
  ended follow(const std::function<void(const committed&)>& on_commit = {}) {
    ended end;
    while (true) {
      auto next = wait();
      if (!next) {
        ADD_FAILURE() << "nothing happened for a minute, after " << end.commits.size() << " commits";
        return end;
      }
      if (auto* attempt = std::get_if<committed>(&*next)) {
        end.commits.push_back(*attempt);
        if (on_commit) on_commit(*attempt);
      } else if (auto* row = std::get_if<exploration_row>(&*next)) {
        end.row = *row;
        return end;
      } else {
        end.fatal = std::get<std::string>(*next);
        return end;
      }
    }
  }

  double supervisor_counter(std::string_view name) {
    caf::scoped_actor self(*system_, true);
    double value = -1;
    self->request(supervisor_, std::chrono::seconds(60), status_atom::value)
        .receive(
            [&](const status_report& report) {
              auto view = report.read();
              for (auto counter : view->getCounters())
                if (name == counter.getName().cStr()) value = counter.getValue();
            },
            [&](const caf::error& failed) { ADD_FAILURE() << system_->render(failed); });
    return value;
  }

private:
  static watcher_actor::behavior_type watcher(watcher_actor::pointer, program_start* start) {
    return {
        [](status_atom) { return status_report::build([](wire::Status::Builder) {}); },
        [](cancel_atom, exploration_id) {},
        [start](const committed& attempt) {
          start->expect_stored(attempt);
          start->push(attempt);
        },
        [start](finished_atom, const exploration_row& row) { start->push(row); },
    };
  }

  /// What is acknowledged is in the store at that moment.
  void expect_stored(const committed& attempt) {
    auto header = attempt.read();
    auto id = attempt_id::parse(std::string_view(header->getHeader().getAttempt().cStr()));
    auto snapshot = store_->snapshot();
    ASSERT_TRUE(id && snapshot.ok());
    auto stored = (*snapshot)->attempt(*id);
    ASSERT_TRUE(stored.ok() && stored->has_value()) << "attempt " << id->text() << " was acknowledged and is not there";
    EXPECT_EQ((**stored).read()->getOutcome(), header->getAttempt().getOutcome());
  }

  void push(event what) {
    std::lock_guard hold(mutex_);
    events_.push_back(std::move(what));
    wake_.notify_one();
  }
  std::optional<event> wait() {
    std::unique_lock hold(mutex_);
    if (!wake_.wait_for(hold, std::chrono::seconds(60), [this] { return !events_.empty(); })) return std::nullopt;
    auto next = std::move(events_.front());
    events_.pop_front();
    return next;
  }

  std::shared_ptr<graph_store> store_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<event> events_;
  caf::actor_system_config config_;
  watcher_actor watching_;
  supervisor_actor supervisor_;
  std::unique_ptr<caf::actor_system> system_;  // first to be destroyed: waits for all actors
};

}  // namespace kope::testing
