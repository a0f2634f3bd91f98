// Contract of a runner: an untrusted process that holds one artifact and calls it on slots of shared memory. The
// parent owns inputs, expected values, order and clock; what the process writes is believed only after it was frozen
// and looked at. Blocking: used on device threads (toolchains/device_thread.hpp), never on a scheduler thread.
//
//   parent                                   runner process
//   fill inputs, poison outputs
//   call(slots)  ── go ──▶                   kernel(slot), kernel(slot), …
//                ◀─ done ──
//   freeze, clock stopped before looking
//   compare, refill, thaw at the next call
//
// docs/RUNNER_PROTOCOL.md has the shared page and the descriptors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "messages/result.hpp"

namespace kope {

/// All slots of one session: two sessions with the parent's mappings fit a laptop.
constexpr size_t slot_bytes_max = size_t{64} << 20;
constexpr size_t calls_max = 4096;  ///< in one batch: the shared page's table

class runner_session;

/// In one session. Half as many again as the cases of the largest shipped tasks: a verification is two or three
/// processes. What the shared page keeps for each is half a KiB.
constexpr size_t groups_max = 32;

/// What one call reads and writes.
struct slot_layout {
  std::vector<size_t> input_bytes;
  std::vector<size_t> output_bytes;
  std::vector<int64_t> sizes;  ///< passed to the entry, in prototype order
  size_t slots = 1;            ///< at most calls_max, and slot_bytes_max in all
};

/// Where in its guarded pages a tensor lies: against the guard behind it (over-runs fault), against the guard before
/// it (under-runs fault), or at 64 bytes from its start for timing.
enum class placement : uint8_t { end_aligned, start_aligned, cache_aligned };

/// Slots of one layout that lie in the same way.
struct slot_group {
  slot_layout layout;
  placement place = placement::end_aligned;
};

struct session_request {
  std::span<const std::byte> artifact;  ///< a shared object, passed as sealed memory
  slot_layout layout;
  placement place = placement::end_aligned;
  /// Slots of other layouts, for other sizes in the same process. They are numbered after the first ones, group by
  /// group. All groups have as many inputs, outputs and sizes, because an artifact has one entry; what bounds slots
  /// bounds all of them together.
  std::vector<slot_group> further = {};
  std::vector<int> cpus;  ///< pinned to these
  /// To touch all slots (0.3 s for 64 MiB where a page takes 17 us), load the artifact and say ready.
  double start_seconds_max = 5;
  bool urgent = false;  ///< for timing: scheduled before ordinary processes where that is allowed
  /// Before each batch the process reads the slots that the batch uses, outside of the clock.
  bool resident = false;
  /// An open session of the same layouts and placements: both processes work on the same memory, which is cleared
  /// first. Which physical pages a process has makes identical kernels up to 30 % apart; with one memory that is the
  /// same for both. Sessions are frozen between calls, so whoever reads outputs and overwrites them before the next
  /// call shows no process what the other wrote.
  runner_session* memory_of = nullptr;
};

enum class batch_end {
  done,
  crashed,  ///< the process died: signal in `status`
  exited,   ///< it called exit: status in `status`
  timed_out,
};

/// What the CPU counted in user space (hardware_counters.hpp).
struct batch_counters {
  double cycles = 0, instructions = 0, cache_misses = 0;
};

struct batch_report {
  batch_end end = batch_end::done;
  int status = 0;
  double seconds = 0;  ///< parent's clock, go to done, for the whole batch
  /// Of a session that is timed on one CPU: CPU time from thawing to freezing beyond `seconds`. To be woken and stopped
  /// takes some; whoever ranks decides how much is free (played_pairs.hpp).
  double unclocked_seconds = 0;
  uint64_t involuntary_switches = 0;       ///< of the runner during the batch: above 0 means it was preempted
  double cpu_seconds = 0;                  ///< of the runner during the batch
  std::optional<batch_counters> counters;  ///< of a timed session, where the machine has such
  /// The process's own word for why it died, not to be believed beyond the choice of a word.
  bool refused_memory = false;  ///< an allocation was refused before
  std::string refused_call;     ///< the system call that ended it ("fork"), when it said which
};

/// The first group and the further ones, in the order in which slots are numbered.
inline std::vector<slot_group> groups_of(const session_request& request) {
  std::vector<slot_group> all{{request.layout, request.place}};
  all.insert(all.end(), request.further.begin(), request.further.end());
  return all;
}

/// One process. After anything but batch_end::done the session is over.
class runner_session {
public:
  virtual ~runner_session() = default;  ///< kills the process and all that it started

  /// Parent's own mappings. Inputs are read-only for the process, sealed; outputs are shared.
  virtual std::span<std::byte> input(size_t slot, size_t tensor) = 0;
  virtual std::span<std::byte> output(size_t slot, size_t tensor) = 0;

  /// Calls the kernel once for each entry of `slots`, in that order, within the deadline. On return the process is
  /// frozen or dead.
  virtual result<batch_report> call(std::span<const uint32_t> slots, double seconds_max) = 0;

  /// Moves the process to other CPUs (between batches only).
  virtual result<unit> move_to(std::span<const int> cpus) = 0;

  /// The end of the process as far as known: why it died before it was ready, last lines it printed.
  virtual std::string last_words() const = 0;
};

class runner {
public:
  virtual ~runner() = default;

  /// Screens the artifact, starts a process, maps memory, loads. An artifact that does not pass the screen is
  /// errc::forbidden and was not loaded; one that dies or hangs while loading gives errc::invalid_input, forbidden or
  /// out_of_memory with its reason (all three a candidate's failure, the caller decides); errc::io or tool_missing are
  /// ours.
  virtual result<std::unique_ptr<runner_session>> open(const session_request& request) = 0;

  /// Name of the sandbox_level: how strongly a candidate is held. Stored with each result.
  virtual std::string level() const = 0;
};

}  // namespace kope
