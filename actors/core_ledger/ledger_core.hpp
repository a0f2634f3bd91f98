// Who may use a core. Compiling and running take one core each; measuring takes all of them, because a neighbour's
// load is the largest error of a timing. A waiting `measure` stops new grants, so it cannot starve; requests of the
// same kind are served in order. Plain values, no CAF: the actor around it sends the grants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace kope {

enum class core_use : uint8_t;

struct ledger_request {
  uint64_t number = 0;  ///< unique, chosen by the ledger actor
  core_use use;
};

class ledger_core {
public:
  explicit ledger_core(uint32_t cores);

  void request(ledger_request wanted);
  /// Ends a grant, or withdraws a request that waits. Unknown numbers are ignored: a pool may release twice.
  void release(uint64_t number);
  void pause(bool paused);

  /// Requests that may start now; they count as granted from here on. `machine_free` is asked for the first `measure`
  /// only: the lock that every kope on the machine takes. `room_to_compile` is asked for each `compile`, with the
  /// number of those that run; where there is none, others pass it.
  template <class MachineLock, class Room>
  std::vector<uint64_t> grant(MachineLock&& machine_free, Room&& room_to_compile) {
    std::vector<uint64_t> started;
    if (paused_) return started;
    if (!measures_.empty()) {
      if (!granted_.empty()) return started;
      machine_busy_ = !machine_free();
      if (!machine_busy_) {
        start(measures_.front(), started);
        measures_.pop_front();
        return started;
      }
      // compile and run go on while another kope measures
    }
    for (auto next = shared_.begin(); !measuring() && next != shared_.end() && granted_.size() < cores_;) {
      if (compiles(next->use) && !room_to_compile(compiling())) {
        ++next;
        continue;
      }
      start(*next, started);
      next = shared_.erase(next);
    }
    return started;
  }

  bool measuring() const;
  size_t compiling() const;
  size_t granted() const { return granted_.size(); }
  size_t waiting() const { return shared_.size() + measures_.size(); }
  bool machine_busy() const { return machine_busy_; }
  bool paused() const { return paused_; }

private:
  static bool compiles(core_use use);
  void start(const ledger_request& wanted, std::vector<uint64_t>& started);

  uint32_t cores_;
  bool paused_ = false;
  bool machine_busy_ = false;
  std::deque<ledger_request> shared_;  // bounded by the work in flight: pools ask once for each item
  std::deque<ledger_request> measures_;
  std::map<uint64_t, core_use> granted_;
};

}  // namespace kope
