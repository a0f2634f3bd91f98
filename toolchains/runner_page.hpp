// The page that a runner process and its parent share, and where tensors lie in the shared files. Included by both, so
// it needs nothing but the language. docs/RUNNER_PROTOCOL.md explains it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kope::runner_page {

// Descriptors of the runner process.
constexpr int control_fd = 3;
constexpr int artifact_fd = 4;
constexpr int inputs_fd = 5;
constexpr int outputs_fd = 6;

constexpr uint32_t magic = 0x45504f4b;  // "KOPE"
constexpr uint32_t version = 4;
constexpr uint32_t ready = 0xffffffff;  // in `done`, before the first batch

// The widest operator of the catalogue has 8 inputs, 4 outputs and 12 sizes.
constexpr size_t inputs_max = 16;
constexpr size_t outputs_max = 16;
constexpr size_t sizes_max = 32;
constexpr size_t calls_max = 4096;
constexpr size_t groups_max = 32;
static_assert(inputs_max == outputs_max, "both lists of sizes are read by the same code");

// Two mappings a tensor (data, guard); the kernel allows 65,530 a process.
constexpr size_t tensors_max = 24'000;

constexpr size_t page_bytes = 4096;
constexpr size_t line_bytes = 64;

// Exit statuses of the runner before it is ready. The candidate's code may forge them: they only choose words.
enum exit_status : int { bad_control = 70, bad_mapping = 71, not_confined = 72, bad_artifact = 80, no_entry = 81 };

// How many filters a confined runner has when it is ready; the parent asks the kernel.
constexpr unsigned filters_when_ready = 2;

// Slots that have the same tensors and lie in the same way.
struct group {
  uint32_t slots;
  uint32_t placement;  // 0 end, 1 start, 2 cache line
  uint64_t input_bytes[inputs_max];
  uint64_t output_bytes[outputs_max];
  int64_t size[sizes_max];
};
static_assert(offsetof(group, input_bytes) == 8 && offsetof(group, output_bytes) == 136 &&
                  offsetof(group, size) == 264 && sizeof(group) == 520,
              "docs/RUNNER_PROTOCOL.md says where the fields are");

struct control {
  uint32_t magic;
  uint32_t version;
  uint32_t slots;  // of all groups together
  uint32_t inputs;
  uint32_t outputs;
  uint32_t sizes;
  uint32_t groups;
  uint32_t calls;                                  // of this batch, 0: only answer
  uint32_t confined;                               // 0 in tests alone: the runner installs no filters
  uint32_t touched;                                // slots of `table` that are read before an empty batch is answered
  alignas(line_bytes) std::atomic<uint32_t> go;    // parent raises it, runner waits on it
  alignas(line_bytes) std::atomic<uint32_t> done;  // runner copies `go` into it, parent waits on it
  uint32_t refused_call;    // number of the system call that ended the process, plus 1; chooses a word, is not believed
  uint32_t refused_memory;  // 1: an allocation was refused; the same
  alignas(line_bytes) uint32_t table[calls_max];  // slot of each call
  alignas(line_bytes) group group_table[groups_max];
};
static_assert(std::atomic<uint32_t>::is_always_lock_free, "a futex word is a plain word");
static_assert(offsetof(control, slots) == 8 && offsetof(control, groups) == 24 && offsetof(control, calls) == 28 &&
                  offsetof(control, confined) == 32 && offsetof(control, touched) == 36 &&
                  offsetof(control, go) == 64 && offsetof(control, done) == 128 &&
                  offsetof(control, refused_call) == 132 && offsetof(control, refused_memory) == 136 &&
                  offsetof(control, table) == 192 && offsetof(control, group_table) == 16576,
              "docs/RUNNER_PROTOCOL.md says where the fields are");

constexpr size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

// For timing, tensors start at various cache lines of a page: all at the same one would share the few L1 sets of it.
constexpr size_t stagger_lines = 16;

// Whole pages that a tensor takes in its file and in the runner's memory.
constexpr size_t room(size_t bytes, uint32_t placement) {
  size_t slack = placement == 2 ? line_bytes * (stagger_lines + 1) : 0;
  size_t pages = round_up(bytes + slack, page_bytes);
  return pages == 0 ? page_bytes : pages;
}

// Where in its room a tensor begins; `number` counts all tensors of all slots.
constexpr size_t shift(size_t bytes, uint32_t placement, size_t number) {
  if (placement == 0) return room(bytes, placement) - bytes;
  if (placement == 1) return 0;
  size_t lines = (room(bytes, placement) - bytes) / line_bytes - 1;
  return line_bytes * (1 + number * 7 % lines);
}

// Bytes of one slot in a file when its tensors have these sizes.
constexpr size_t slot_room(const uint64_t* bytes, size_t count, uint32_t placement) {
  size_t total = 0;
  for (size_t i = 0; i < count; ++i) total += room(bytes[i], placement);
  return total;
}

}  // namespace kope::runner_page
