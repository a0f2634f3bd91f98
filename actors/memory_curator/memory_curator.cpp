#include "actors/memory_curator/memory_curator.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "actors/actor_shell.hpp"
#include "actors/memory_curator/commit_queue.hpp"
#include "actors/outcome_of.hpp"
#include "messages/parcel_caf.hpp"

namespace kope {
namespace {

using namespace std::chrono_literals;
constexpr auto disk_full_retry = 1s;        // room appears when somebody deletes something: no hurry
constexpr auto disk_full_line_every = 60s;  // a full disk may last for hours

}  // namespace

struct memory_curator_state {
  static inline const char* name = "memory_curator";

  memory_curator_options options;
  commit_queue queue;
  std::map<exploration_id, planner_actor> owners;
  using row_answer = caf::typed_response_promise<exploration_row>;
  using step_answer = caf::typed_response_promise<uint32_t>;
  std::map<uint64_t, std::pair<row_answer, exploration_row>> creations;
  std::map<uint64_t, step_answer> writes;
  struct interruption {
    exploration_id exploration;
    step_answer answer;
    std::optional<uint32_t> queued;  // outcomes that close its open rows; nothing: not looked at yet
  };
  std::vector<interruption> interruptions;
  uint64_t last_token = 0;
  bool flush_pending = false;
  bool paused = false;
  std::optional<std::chrono::steady_clock::time_point> full_since;
  std::chrono::steady_clock::time_point last_full_line{};
  bool gave_up = false;
  uint64_t interrupted_at_start = 0, transactions = 0, attempts = 0, duplicates = 0, refused = 0, dropped = 0;
};

namespace {

using self_pointer = memory_curator_actor::stateful_pointer<memory_curator_state>;

void want_flush(self_pointer self) {
  if (self->state.flush_pending || self->state.paused) return;
  self->state.flush_pending = true;
  self->send(self, flush_atom::value);  // lands behind what is in the mailbox already: one transaction for all of it
}

void tell_planner(self_pointer self, const outcome_receipt& receipt) {
  auto& state = self->state;
  ++(receipt.duplicate ? state.duplicates : state.attempts);
  auto stored = receipt.stored.read();
  auto header = stored->getHeader();
  auto owner = state.owners.find(id_of<exploration_id>(std::string_view(header.getExploration().cStr())));
  if (owner == state.owners.end()) return;
  self->send(owner->second, committed::build([&](wire::Committed::Builder message) {
               message.setHeader(header);
               message.setStep(static_cast<double>(receipt.step));
               message.setAttempt(*stored);
               message.setDuplicate(receipt.duplicate);
             }));
}

void pause(self_pointer self, bool paused) {
  if (self->state.paused == paused) return;
  self->state.paused = paused;
  if (self->state.options.ledger) self->send(self->state.options.ledger, pause_atom::value, paused);
}

void answer_rows(self_pointer self, const commit_report& report, uint32_t step) {
  auto& state = self->state;
  for (uint64_t token : report.rows_written) {
    if (auto created = state.creations.find(token); created != state.creations.end()) {
      created->second.first.deliver(created->second.second);
      state.creations.erase(created);
    } else if (auto written = state.writes.find(token); written != state.writes.end()) {
      written->second.deliver(step);
      state.writes.erase(written);
    }
  }
  for (auto& [token, failure] : report.rows_refused) {
    auto refused = caf::make_error(caf::sec::runtime_error, failure.what);
    if (auto created = state.creations.find(token); created != state.creations.end()) {
      created->second.first.deliver(refused);
      state.creations.erase(created);
    } else if (auto written = state.writes.find(token); written != state.writes.end()) {
      written->second.deliver(refused);
      state.writes.erase(written);
    }
  }
}

void disk_is_full(self_pointer self, const std::string& why) {
  auto& state = self->state;
  auto now = self->clock().now();
  if (!state.full_since || now - state.last_full_line >= disk_full_line_every) {
    log::failure("memory_curator", "disk-full", why + "; waiting for room, nothing is lost");
    state.last_full_line = now;
  }
  if (!state.full_since) state.full_since = now;
  auto& patience = state.options.disk_full_max;
  if (patience && now - *state.full_since >= *patience && !std::exchange(state.gave_up, true))
    state.options.cannot_go_on("the disk of the experience graph has been full for " +
                               std::to_string(patience->count()) + " s (" + why +
                               "); nothing that was acknowledged is lost: make room");
  pause(self, true);
  self->delayed_send(self, disk_full_retry, flush_atom::value);
  state.flush_pending = true;
}

/// False: the disk is full, and everything is still queued.
bool commit_queued(self_pointer self) {
  auto& state = self->state;
  auto report = state.queue.commit(*state.options.store);
  state.transactions += report.transactions;
  state.refused += report.refused.size();
  for (auto& refusal : report.refused) log::failure("memory_curator", "refused", refusal.what + ": " + refusal.why);
  uint32_t step = 0;
  for (auto& receipt : report.outcomes) {
    tell_planner(self, receipt);
    step = static_cast<uint32_t>(receipt.step);
  }
  answer_rows(self, report, step);
  if (report.disk_full) {
    disk_is_full(self, report.why);
    return false;
  }
  pause(self, false);
  state.full_since.reset();
  return true;
}

/// Queues `interrupted` for open rows: of one exploration, or all of them.
uint32_t interrupt(self_pointer self, std::optional<exploration_id> exploration) {
  auto& state = self->state;
  auto snapshot = state.options.store->snapshot();
  check(snapshot.ok(), "the curator can read its own store");
  auto rows = (*snapshot)->open_rows();
  if (!rows) throw std::runtime_error(rows.failure().what);
  uint32_t count = 0;
  for (auto& row : *rows) {
    auto view = row.read();
    if (exploration &&
        id_of<exploration_id>(std::string_view(view->getHeader().getExploration().cStr())) != *exploration)
      continue;
    state.queue.add(interrupted_outcome(*view));
    ++count;
  }
  return count;
}

/// With nothing queued: answers the interruptions that are on disk, and queues the others. True: look again.
bool advance_interruptions(self_pointer self) {
  auto& all = self->state.interruptions;
  for (auto& each : all)
    if (each.queued) each.answer.deliver(*each.queued);
  std::erase_if(all, [](auto& each) { return each.queued.has_value(); });
  for (auto& each : all) each.queued = interrupt(self, each.exploration);
  return !all.empty();
}

void flush(self_pointer self) {
  self->state.flush_pending = false;
  do {
    if (!self->state.queue.empty() && !commit_queued(self)) return;
  } while (advance_interruptions(self));
}

memory_curator_actor::behavior_type memory_curator(self_pointer self, memory_curator_options options) {
  install_shell(self);
  auto& state = self->state;
  state.options = std::move(options);
  state.interrupted_at_start = interrupt(self, std::nullopt);
  flush(self);
  return {
      [self](status_atom) {
        auto& state = self->state;
        return status_report::build([&](wire::Status::Builder status) {
          status.setActor(state.name);
          std::pair<const char*, uint64_t> counts[] = {{"queued", state.queue.size()},
                                                       {"transactions", state.transactions},
                                                       {"attempts", state.attempts},
                                                       {"duplicates", state.duplicates},
                                                       {"refused", state.refused},
                                                       {"dropped", state.dropped},
                                                       {"interrupted_at_start", state.interrupted_at_start}};
          auto counters = status.initCounters(std::size(counts));
          for (unsigned i = 0; i < std::size(counts); ++i) {
            counters[i].setName(counts[i].first);
            counters[i].setValue(static_cast<double>(counts[i].second));
          }
          if (state.paused) status.initLines(1).set(0, "disk full: waiting for room");
        });
      },
      [self](cancel_atom, exploration_id exploration) { self->state.owners.erase(exploration); },
      [self](create_atom, const exploration_row& row, const task_record& task, const target_record& target,
             const toolchain_record& toolchain, const std::string& reference) -> caf::result<exploration_row> {
        auto& state = self->state;
        auto id = state.options.store->new_exploration_id();
        if (!id) return caf::make_error(caf::sec::runtime_error, id.failure().what);
        auto named =
            exploration_row::changed(*row.read(), [&](wire::Exploration::Builder change) { change.setId(id->text()); });
        auto promise = self->make_response_promise<exploration_row>();
        state.creations.emplace(++state.last_token, std::pair{promise, named});
        state.queue.add(commit_batch{.tasks = {task},
                                     .targets = {target},
                                     .toolchains = {toolchain},
                                     .sources = {reference},
                                     .explorations = {named}},
                        state.last_token);
        want_flush(self);
        return promise;
      },
      [self](own_atom, exploration_id exploration, const planner_actor& planner) {
        self->state.owners[exploration] = planner;
      },
      [self](const open_row& row) {
        auto& state = self->state;
        if (row.read()->getHeader().getIncarnation() != state.options.store->incarnation()) {
          ++state.dropped;
          return;
        }
        state.queue.add(row);
        want_flush(self);
      },
      [self](const outcome& ended) {
        auto& state = self->state;
        if (ended.read()->getAttempt().getHeader().getIncarnation() != state.options.store->incarnation()) {
          ++state.dropped;
          return;
        }
        state.queue.add(ended);
        want_flush(self);
      },
      [self](const exploration_row& row) -> caf::result<uint32_t> {
        auto& state = self->state;
        auto promise = self->make_response_promise<uint32_t>();
        state.writes.emplace(++state.last_token, promise);
        state.queue.add(commit_batch{.explorations = {row}}, state.last_token);
        want_flush(self);
        return promise;
      },
      [self](interrupt_atom, exploration_id exploration) -> caf::result<uint32_t> {
        // What has an outcome in the queue is not interrupted; what has an open row there is. The answer waits for the
        // disk: a planner that starts before would give numbers out that are taken.
        auto& state = self->state;
        auto promise = self->make_response_promise<uint32_t>();
        state.interruptions.push_back({exploration, promise, std::nullopt});
        if (!state.paused) flush(self);
        return promise;
      },
      [self](flush_atom) { flush(self); },
  };
}

}  // namespace

memory_curator_actor spawn_memory_curator(caf::actor_system& system, memory_curator_options options) {
  bool detached = options.detached;
  if (detached) return system.spawn<caf::detached>(memory_curator, std::move(options));
  return system.spawn(memory_curator, std::move(options));
}

}  // namespace kope
