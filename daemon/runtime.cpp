#include "daemon/runtime.hpp"

#include <unistd.h>

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "actors/actor_shell.hpp"
#include "daemon/catalogue.hpp"
#include "messages/parcel_caf.hpp"
#include "messages/type_ids.hpp"

namespace kope {
namespace {

using namespace std::chrono_literals;
// Planners get 8 s to write their rows and running jobs end at the next batch; a second more, then the kernel ends
// them.
constexpr auto stop_within = 10s;

class event_queue {
public:
  void push(exploration_event event) {
    std::lock_guard hold(mutex_);
    events_.push_back(std::move(event));  // bounded by the attempts budget
    wake_.notify_one();
  }
  std::optional<exploration_event> wait(std::chrono::milliseconds patience) {
    std::unique_lock hold(mutex_);
    if (!wake_.wait_for(hold, patience, [this] { return !events_.empty(); })) return std::nullopt;
    auto event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<exploration_event> events_;
};

struct watcher_state {
  static inline const char* name = "watcher";
  std::shared_ptr<event_queue> events;
};

watcher_actor::behavior_type watcher(watcher_actor::stateful_pointer<watcher_state> self,
                                     std::shared_ptr<event_queue> events) {
  install_shell(self);
  self->state.events = std::move(events);
  return {
      [](status_atom) {
        return status_report::build([](wire::Status::Builder status) { status.setActor("watcher"); });
      },
      [](cancel_atom, exploration_id) {},
      [self](const committed& attempt) { self->state.events->push({attempt}); },
      [self](finished_atom, const exploration_row& row) { self->state.events->push({row}); },
  };
}

caf::actor_system_config& configured(caf::actor_system_config& config) {
  add_message_types(config);
  // mostly idle actors: `sharing` sleeps where work stealing polls
  config.set("scheduler.policy", caf::atom("sharing"));
  config.set("scheduler.max-threads", 2);
  return config;
}

void keep_in_quarantine(const std::filesystem::path& folder, const work& content) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  auto view = content.read();
  auto path = folder / (std::string(view->getPlan().getHeader().getAttempt().cStr()) + ".work");
  std::ofstream file(path, std::ios::binary);
  auto bytes = content.bytes();
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) log::failure("supervisor", "quarantine-failed", path.string() + " cannot be written");
}

}  // namespace

struct runtime::impl {
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  std::shared_ptr<event_queue> events = std::make_shared<event_queue>();
  supervisor_actor supervisor;
  watcher_actor watching;
  bool stopped = false;
};

runtime::runtime(tool_box& tools, std::shared_ptr<graph_store> store, runtime_options options)
  : impl_(std::make_unique<impl>()) {
  impl_->system = std::make_unique<caf::actor_system>(configured(impl_->config));
  impl_->watching = impl_->system->spawn(watcher, impl_->events);
  impl_->supervisor = spawn_supervisor(
      *impl_->system,
      {.store = std::move(store),
       .tool = tools.tool,
       .banks = tools.banks,
       .limits = tools.limits,
       .threads = tools.threads,
       .target = tools.target,
       .toolchain = tools.toolchain,
       .cores = static_cast<uint32_t>(tools.cpus.size()),
       .make_policy = make_policy,
       .try_machine_lock = [lock = tools.measuring.get()] { return lock->try_lock(); },
       .release_machine_lock = [lock = tools.measuring.get()] { lock->unlock(); },
       .quarantine = [folder = tools.data / "quarantine"](const work& content) { keep_in_quarantine(folder, content); },
       .given = std::move(options.given),
       .coder = std::move(options.coder),
       .measure_winner = options.measure_winner,
       .begins = std::move(options.begins),
       .disk_full_max = options.disk_full_max,
       .on_fatal = [events = impl_->events](std::string why) { events->push({std::move(why)}); }});
  // nobody is above the supervisor to notice that it died
  caf::actor_cast<caf::actor>(impl_->supervisor)->attach_functor([events = impl_->events](const caf::error& reason) {
    if (reason && reason != caf::exit_reason::user_shutdown) events->push({"the supervisor died"});
  });
}

runtime::~runtime() {
  stop();
  impl_->supervisor = nullptr;
  caf::anon_send_exit(impl_->watching, caf::exit_reason::user_shutdown);
  impl_->watching = nullptr;
  auto deadline = std::chrono::steady_clock::now() + stop_within;
  while (impl_->system->registry().running() != 0 && std::chrono::steady_clock::now() < deadline)
    impl_->events->wait(5ms);  // nobody reads them any more
  if (impl_->system->registry().running() != 0) {
    // ~actor_system would wait for ever; everything that was acknowledged is on disk
    log::failure("runtime", "actors-left",
                 std::to_string(impl_->system->registry().running()) + " did not end in time");
    _exit(1);
  }
}

void runtime::explore(const exploration_row& row) {
  // what the supervisor answers comes as events as well, and nobody waits here
  caf::anon_send(caf::actor_cast<caf::actor>(impl_->supervisor), explore_atom::value, row, impl_->watching);
}

std::optional<exploration_event> runtime::wait(std::chrono::milliseconds patience) {
  return impl_->events->wait(patience);
}

void runtime::cancel(exploration_id exploration) { caf::anon_send(impl_->supervisor, cancel_atom::value, exploration); }

void runtime::stop() {
  if (std::exchange(impl_->stopped, true)) return;
  caf::anon_send(impl_->supervisor, stop_atom::value);
}

}  // namespace kope
