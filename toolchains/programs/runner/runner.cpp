// kope-runner: the untrusted process that holds one candidate. Maps what it was given, loads the artifact, then calls
// it on slots as told. Nothing that it says is believed; docs/RUNNER_PROTOCOL.md is its whole world. Needs libc alone.
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "toolchains/programs/runner/confine.hpp"
#include "toolchains/programs/runner/refused_memory.hpp"
#include "toolchains/runner_page.hpp"

namespace {

using namespace kope::runner_page;

using entry_function = void (*)(const void* const*, void* const*, const int64_t*);

[[noreturn]] void fail(int status, const char* what, const char* reason) {
  dprintf(2, "runner: %s: %s\n", what, reason);
  _exit(status);
}

void* map(void* at, size_t bytes, int protection, int flags, int fd, size_t offset) {
  void* memory = mmap(at, bytes, protection, flags, fd, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) fail(bad_mapping, "mmap", strerror(errno));
  return memory;
}

// Copies of what the shared page says, made before the artifact is loaded: the candidate can write to the page.
struct group_list {
  group of[groups_max];
  size_t count;
};

// All tensors of one file, each between pages that cannot be touched: guard, data, guard, data, …, guard. Fills
// `pointers[slot * count + tensor]`; `bytes` says which sizes of a group are the file's.
void map_tensors(const group_list& groups, int fd, const uint64_t (group::*bytes)[inputs_max], size_t count,
                 size_t tensors, size_t first_number, int protection, void** pointers) {
  size_t in_file = 0, rooms = 0;
  for (size_t g = 0; g < groups.count; ++g) {
    in_file += slot_room(groups.of[g].*bytes, count, groups.of[g].placement) * groups.of[g].slots;
    rooms += groups.of[g].slots * count;
  }
  size_t reserved = in_file + page_bytes * (rooms + 1);
  auto* at = static_cast<char*>(map(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  size_t offset = 0, slot = 0;
  for (size_t g = 0; g < groups.count; ++g) {
    const group& of = groups.of[g];
    for (const size_t end = slot + of.slots; slot < end; ++slot)
      for (size_t tensor = 0; tensor < count; ++tensor) {
        size_t size = (of.*bytes)[tensor];
        size_t pages = room(size, of.placement);
        at += page_bytes;
        map(at, pages, protection, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, offset);
        // The first touch of a page costs more than most kernels: it happens here, not in a timed batch.
        for (size_t touched = 0; touched < pages; touched += page_bytes) {
          auto* byte = reinterpret_cast<volatile char*>(at + touched);
          char value = *byte;
          if (protection & PROT_WRITE) *byte = value;
        }
        pointers[slot * count + tensor] = at + shift(size, of.placement, slot * tensors + first_number + tensor);
        at += pages;
        offset += pages;
      }
  }
}

template <class T>
T** pointer_table(size_t entries) {
  T** table = static_cast<T**>(calloc(entries + 1, sizeof(T*)));
  if (table == nullptr) fail(bad_mapping, "calloc", strerror(errno));
  return table;
}

// Candidate and reference start every batch with the same rounding and denormal handling, whatever either set before.
void reset_arithmetic() {
#if defined(__x86_64__)
  _mm_setcsr(0x1f80);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" ::"r"(uint64_t{0}));
#endif
}

// Resident timing: the parent has just filled these slots from another CPU, and their first use is not to be timed.
void touch(const void* at, size_t bytes) {
  auto* byte = static_cast<const volatile char*>(at);
  for (size_t i = 0; i < bytes; i += line_bytes) (void)byte[i];
}

// After the empty batch the real one follows within microseconds: falling asleep in between would put a wake-up, 50 to
// 200 us on a virtual machine, into the sample. About 0.1 ms of looking.
void await_real_batch(const control& page, uint32_t batch) {
  for (int look = 0; look < 4000 && page.go.load(std::memory_order_acquire) == batch; ++look) {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }
}

void* load(const char* path) {
  void* artifact = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (artifact != nullptr) return artifact;
  const char* reason = dlerror();
  // Static storage beyond the address space; the loader's text is all that tells.
  for (const char* word :
       {static_cast<const char*>(strerror(ENOMEM)), "failed to map segment", "cannot map zero-fill pages"})
    if (strstr(reason, word) != nullptr) kope::note_refused_memory();
  fail(bad_artifact, "the artifact cannot be loaded", reason);
}

void wake(std::atomic<uint32_t>& word) { syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

}  // namespace

int main(int count, char** arguments) {
  const char* path = count > 1 ? arguments[1] : "/proc/self/fd/4";
  auto* page = static_cast<control*>(map(nullptr, round_up(sizeof(control), page_bytes), PROT_READ | PROT_WRITE,
                                         MAP_SHARED | MAP_POPULATE, control_fd, 0));
  if (page->magic != magic || page->version != version || page->inputs > inputs_max || page->outputs > outputs_max ||
      page->sizes > sizes_max || page->groups == 0 || page->groups > groups_max || page->slots == 0 ||
      page->slots * (page->inputs + page->outputs) > tensors_max)
    fail(bad_control, "control page", "not of this version");

  const size_t slots = page->slots;
  const size_t inputs = page->inputs;
  const size_t outputs = page->outputs;
  static group_list groups;
  groups.count = page->groups;
  memcpy(groups.of, page->group_table, groups.count * sizeof(group));
  const group** group_of = pointer_table<const group>(slots);
  size_t slots_of_groups = 0;
  for (size_t g = 0; g < groups.count; ++g)
    for (uint32_t slot = 0; slot < groups.of[g].slots; ++slot, ++slots_of_groups)
      if (slots_of_groups < slots) group_of[slots_of_groups] = &groups.of[g];
  if (slots_of_groups != slots) fail(bad_control, "control page", "its groups have other slots");
  void** in = pointer_table<void>(slots * inputs);
  void** out = pointer_table<void>(slots * outputs);
  map_tensors(groups, inputs_fd, &group::input_bytes, inputs, inputs + outputs, 0, PROT_READ, in);
  map_tensors(groups, outputs_fd, &group::output_bytes, outputs, inputs + outputs, inputs, PROT_READ | PROT_WRITE, out);
  close(control_fd);
  close(inputs_fd);
  close(outputs_fd);

  const bool confined = page->confined != 0;
  kope::note_refused_memory_in(&page->refused_memory);
  if (confined && !kope::confine_loading(*page)) fail(not_confined, "seccomp", strerror(errno));
  void* artifact = load(path);
  close(artifact_fd);
  auto entry = reinterpret_cast<entry_function>(dlsym(artifact, "kope_entry"));
  if (entry == nullptr) fail(no_entry, "the artifact has no entry", "kope_entry");
  if (confined && !kope::confine_running()) fail(not_confined, "seccomp", strerror(errno));

  uint32_t batch = page->go.load();
  page->done.store(ready, std::memory_order_release);
  wake(page->done);
  for (;;) {
    while (page->go.load(std::memory_order_acquire) == batch)
      syscall(SYS_futex, &page->go, FUTEX_WAIT, batch, nullptr, nullptr, 0);
    batch = page->go.load(std::memory_order_acquire);
    const uint32_t calls = page->calls;
    const uint32_t touched = calls == 0 ? page->touched : 0;
    for (uint32_t i = 0; i < touched && i < calls_max; ++i) {
      const size_t slot = page->table[i];
      if (slot >= slots) break;
      const group& of = *group_of[slot];
      for (size_t t = 0; t < inputs; ++t) touch(in[slot * inputs + t], of.input_bytes[t]);
      for (size_t t = 0; t < outputs; ++t) touch(out[slot * outputs + t], of.output_bytes[t]);
    }
    reset_arithmetic();
    for (uint32_t call = 0; call < calls && call < calls_max; ++call) {
      const size_t slot = page->table[call];
      if (slot >= slots) break;
      entry(in + slot * inputs, out + slot * outputs, group_of[slot]->size);
    }
    page->done.store(batch, std::memory_order_release);
    wake(page->done);
    if (calls == 0) await_real_batch(*page, batch);
  }
}
