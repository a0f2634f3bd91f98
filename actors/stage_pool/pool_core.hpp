// Queue, idle workers and leases of one stage, without CAF. The actor around it (stage_pool.cpp) executes what these
// functions return.
//
//   submit ─▶ queued ──grant──▶ running(worker, lease) ──finished──▶ done
//               ▲                    │ worker died, first time
//               └────────────────────┘ second time: harness_error
//
// A lease runs from the moment a worker takes the work; when it ends the attempt ends as timed_out and whatever the
// worker says later is ignored. Explorations take turns, so one of them cannot fill the queue for the others.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/actors.hpp"

namespace kope {

using worker_number = uint64_t;
using pool_time = std::chrono::steady_clock::time_point;

struct pool_item {
  attempt_id attempt;
  work content;
  uint32_t handed_out = 0;
};

struct running_item {
  pool_item item;
  worker_number worker = 0;
  uint64_t request = 0;  ///< the ledger's grant
  pool_time lease_end;
  bool expired = false;  ///< ended already; the worker and its core are still busy
};

class pool_core {
public:
  explicit pool_core(std::chrono::milliseconds lease) : lease_(lease) {}

  /// False: this attempt is here already, or the queue is full (queue_max).
  bool submit(pool_item item);

  void worker_ready(worker_number worker);

  /// How many more grants should be asked of the ledger: one for each item that an idle worker could take.
  size_t grants_wanted() const;
  void grant_requested(uint64_t request);

  struct hand_out {
    worker_number worker;
    work content;
  };
  /// The grant `request` came: the next item in turn for an idle worker, or nothing (then the grant is to be released).
  std::optional<hand_out> granted(uint64_t request, pool_time now);

  struct ended_item {
    pool_item item;
    uint64_t request = 0;
    bool expired = false;  ///< its outcome was reported when the lease ended
  };
  /// A worker is done with this attempt. Nothing when it is not running there.
  std::optional<ended_item> finished(attempt_id attempt, worker_number worker);

  struct loss {
    std::optional<uint64_t> request;    ///< to release
    std::optional<pool_item> given_up;  ///< its second worker died
    std::optional<attempt_id> gone;     ///< its lease had ended before, so that it is not handed out again
  };
  /// A worker died: its work is queued once more, at the front.
  loss worker_down(worker_number worker);

  struct expiry {
    pool_item item;
    worker_number worker = 0;
  };
  std::vector<expiry> expire(pool_time now);

  struct cancellation {
    std::vector<worker_number> workers;  ///< that run work of this exploration
    std::vector<pool_item> dropped;      ///< that waited
  };
  cancellation cancel(exploration_id exploration);

  size_t queued() const;
  size_t running() const { return running_.size(); }
  size_t idle() const { return idle_.size(); }

private:
  std::optional<pool_item> next_in_turn();

  std::chrono::milliseconds lease_;
  std::map<exploration_id, std::deque<pool_item>> queues_;
  exploration_id last_served_;
  std::deque<worker_number> idle_;
  std::map<attempt_id, running_item> running_;
  std::vector<uint64_t> requested_;
};

/// At most 64 attempts a core are in flight, and no machine that we know has more than 1024 cores.
constexpr size_t pool_queue_max = 64 * 1024;

}  // namespace kope
