#include "toolchains/host_runner.hpp"

#include <sched.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <new>
#include <tuple>

#include "toolchains/artifact_screen.hpp"
#include "toolchains/runner_process.hpp"
#include "toolchains/syscall_name.hpp"

namespace kope {
namespace {

namespace page = runner_page;
static_assert(calls_max == page::calls_max && groups_max == page::groups_max, "the shared tables hold as much");

uint32_t number_of(placement place) {
  switch (place) {
    case placement::end_aligned:
      return 0;
    case placement::start_aligned:
      return 1;
    case placement::cache_aligned:
      return 2;
  }
  return 0;
}

std::string objection(const session_request& request, const std::vector<slot_group>& groups) {
  auto more = [](const char* what, size_t has, size_t max) {
    return "a session with " + std::to_string(has) + " " + what + ": at most " + std::to_string(max) + " are possible";
  };
  if (groups.size() > groups_max) return more("groups of slots", groups.size(), groups_max);
  const auto& first = request.layout;
  if (first.input_bytes.size() > page::inputs_max) return more("inputs", first.input_bytes.size(), page::inputs_max);
  if (first.output_bytes.size() > page::outputs_max)
    return more("outputs", first.output_bytes.size(), page::outputs_max);
  if (first.sizes.size() > page::sizes_max) return more("sizes", first.sizes.size(), page::sizes_max);
  size_t slots = 0, bytes = 0;
  for (const auto& [layout, place] : groups) {
    if (layout.slots == 0) return "a session without slots";
    if (layout.slots > calls_max) return more("slots", layout.slots, calls_max);
    if (layout.input_bytes.size() != first.input_bytes.size() ||
        layout.output_bytes.size() != first.output_bytes.size() || layout.sizes.size() != first.sizes.size())
      return "a session whose groups of slots differ in their number of inputs, outputs or sizes: an artifact has one "
             "entry";
    slots += layout.slots;
    for (const auto* list : {&layout.input_bytes, &layout.output_bytes})
      for (size_t one : *list) {
        if (one > slot_bytes_max) return more("bytes in one tensor", one, slot_bytes_max);
        bytes += one * layout.slots;
      }
  }
  if (slots > calls_max) return more("slots", slots, calls_max);
  size_t tensors = slots * (first.input_bytes.size() + first.output_bytes.size());
  if (tensors > page::tensors_max) return more("tensors in all slots", tensors, page::tensors_max);
  if (bytes > slot_bytes_max) return more("bytes in all slots", bytes, slot_bytes_max);
  if (request.artifact.empty()) return "a session without an artifact";
  return {};
}

/// One group of slots and where it begins, from our side; the runner computes the same from the same page.
struct placed_group {
  slot_layout layout;
  uint32_t place = 0;
  size_t first_slot = 0;
  size_t first_input = 0, first_output = 0;  // byte of its file

  size_t slot_room(const std::vector<size_t>& bytes) const {
    return page::slot_room(bytes.data(), bytes.size(), place);
  }
  size_t input_end() const { return first_input + slot_room(layout.input_bytes) * layout.slots; }
  size_t output_end() const { return first_output + slot_room(layout.output_bytes) * layout.slots; }
  size_t slot_end() const { return first_slot + layout.slots; }
  bool operator==(const placed_group& other) const {  // sizes are the entry's alone
    return layout.slots == other.layout.slots && place == other.place &&
           layout.input_bytes == other.layout.input_bytes && layout.output_bytes == other.layout.output_bytes;
  }
};

std::vector<placed_group> placed(const std::vector<slot_group>& groups) {
  std::vector<placed_group> all;
  for (const auto& [layout, place] : groups) {
    placed_group next{layout, number_of(place)};
    if (!all.empty()) {
      next.first_slot = all.back().slot_end();
      next.first_input = all.back().input_end();
      next.first_output = all.back().output_end();
    }
    all.push_back(std::move(next));
  }
  return all;
}

void describe_groups(const std::vector<placed_group>& groups, page::control& into) {
  into.slots = static_cast<uint32_t>(groups.back().slot_end());
  into.groups = static_cast<uint32_t>(groups.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto& layout = groups[g].layout;
    auto& out = into.group_table[g];
    out.slots = static_cast<uint32_t>(layout.slots);
    out.placement = groups[g].place;
    std::copy(layout.input_bytes.begin(), layout.input_bytes.end(), out.input_bytes);
    std::copy(layout.output_bytes.begin(), layout.output_bytes.end(), out.output_bytes);
    std::copy(layout.sizes.begin(), layout.sizes.end(), out.size);
  }
}

/// Of all slots of a session, or of several that work on the same.
struct slot_memory {
  std::shared_ptr<shared_memory> inputs, outputs;
};

class host_session final : public runner_session {
public:
  host_session(std::unique_ptr<runner_process> process, slot_memory memory, std::vector<placed_group> groups,
               std::vector<int> timed_on, bool resident, const host_runner_options& options)
    : process_(std::move(process)),
      memory_(std::move(memory)),
      groups_(std::move(groups)),
      slots_(groups_.back().slot_end()),
      timed_on_(std::move(timed_on)),
      resident_(resident),
      freeze_(options.freeze),
      charge_early_work_(options.charge_early_work),
      switches_before_(process_->involuntary_switches()),
      cpu_before_(process_->cpu_seconds()) {
    if (!timed_on_.empty()) process_->count();
  }

  std::span<std::byte> input(size_t slot, size_t tensor) override {
    const auto& group = group_of(slot);
    return tensor_of(*memory_.inputs, group, group.first_input, group.layout.input_bytes, slot, tensor, 0);
  }
  std::span<std::byte> output(size_t slot, size_t tensor) override {
    const auto& group = group_of(slot);
    return tensor_of(*memory_.outputs, group, group.first_output, group.layout.output_bytes, slot, tensor,
                     group.layout.input_bytes.size());
  }
  result<batch_report> call(std::span<const uint32_t> slots, double seconds_max) override;
  result<unit> move_to(std::span<const int> cpus) override {
    if (!timed_on_.empty()) timed_on_.assign(cpus.begin(), cpus.end());
    return process_->move_to(cpus);
  }
  std::string last_words() const override { return process_->alive() ? std::string() : process_->end().output; }

  bool lies_as(const std::vector<placed_group>& groups) const { return groups == groups_; }
  slot_memory memory() const { return memory_; }

private:
  const placed_group& group_of(size_t slot) const {
    check(slot < slots_, "a slot that the session does not have");
    size_t g = 0;
    while (slot >= groups_[g].slot_end()) ++g;
    return groups_[g];
  }
  /// `bytes` and `first` are the group's in this file; `first_number` is that of the file's first tensor in a slot.
  std::span<std::byte> tensor_of(shared_memory& file, const placed_group& group, size_t first,
                                 const std::vector<size_t>& bytes, size_t slot, size_t tensor, size_t first_number) {
    check(tensor < bytes.size(), "a tensor that the session does not have");
    size_t at = first + group.slot_room(bytes) * (slot - group.first_slot);
    for (size_t i = 0; i < tensor; ++i) at += page::room(bytes[i], group.place);
    size_t tensors = group.layout.input_bytes.size() + group.layout.output_bytes.size();
    size_t number = slot * tensors + first_number + tensor;
    return file.bytes().subspan(at + page::shift(bytes[tensor], group.place, number), bytes[tensor]);
  }
  batch_report ended(batch_report report);
  /// Spinning is for what is timed, and only beside the process, never on its CPUs.
  runner_process::waiting how_to_wait() const;
  /// Timed, and no two threads of it ever run at once.
  bool on_one_cpu() const { return timed_on_.size() == 1; }

  std::unique_ptr<runner_process> process_;
  slot_memory memory_;
  const std::vector<placed_group> groups_;  // the shared page says so too, but the process can write there
  const size_t slots_;
  std::vector<int> timed_on_;              // the process's CPUs when it is timed, else empty
  const bool resident_;                    // session_request says
  const bool freeze_, charge_early_work_;  // host_runner_options
  uint64_t switches_before_ = 0;
  double cpu_before_ = 0;
  batch_counters counted_before_;
};

// How the process ended, in a batch's words.
batch_report host_session::ended(batch_report report) {
  const auto& end = process_->end();
  report.status = end.status;
  report.end = end.end == process_end::exited      ? batch_end::exited
               : end.end == process_end::signalled ? batch_end::crashed
                                                   : batch_end::timed_out;
  report.cpu_seconds = std::max(0.0, end.cpu_seconds - cpu_before_);
  report.refused_memory = process_->page().refused_memory != 0;
  if (uint32_t call = process_->page().refused_call; call != 0) report.refused_call = syscall_name(call - 1);
  return report;
}

runner_process::waiting host_session::how_to_wait() const {
  if (timed_on_.empty()) return runner_process::waiting::sleep;
  cpu_set_t own;
  CPU_ZERO(&own);
  if (sched_getaffinity(0, sizeof own, &own) != 0) return runner_process::waiting::sleep;
  bool shared = std::any_of(timed_on_.begin(), timed_on_.end(),
                            [&](int cpu) { return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &own); });
  return shared ? runner_process::waiting::sleep : runner_process::waiting::spin;
}

result<batch_report> host_session::call(std::span<const uint32_t> slots, double seconds_max) {
  auto& shared = process_->page();
  if (!process_->alive()) return error{errc::not_found, "this session is over: its process has ended"};
  if (slots.empty() || slots.size() > calls_max)
    return error{errc::invalid_input, "a batch of " + std::to_string(slots.size()) + " calls: 1 to " +
                                          std::to_string(calls_max) + " are possible"};
  if (std::any_of(slots.begin(), slots.end(), [&](uint32_t slot) { return slot >= slots_; }))
    return error{errc::invalid_input, "a call on a slot that the session does not have"};

  auto seconds = std::chrono::duration<double>(seconds_max);
  auto deadline = runner_clock::now() + std::chrono::duration_cast<runner_clock::duration>(seconds);
  std::copy(slots.begin(), slots.end(), shared.table);
  // An empty batch first: waking a stopped process takes tens of microseconds that are not the kernel's.
  shared.calls = 0;
  shared.touched = resident_ ? static_cast<uint32_t>(slots.size()) : 0;
  process_->thaw();
  auto wait = how_to_wait();
  auto reply = process_->exchange(deadline, wait);
  batch_report report;
  double early = 0;
  if (reply == runner_process::reply::done) {
    // The inputs are there already: a candidate that took over the process could compute now and answer at once when
    // the clock runs. On one CPU the books of the stopped process say all of it, below. Where threads may run beside
    // each other CPU time says nothing about time, so what was used until now is charged, as far as it is booked.
    if (charge_early_work_ && !on_one_cpu()) early = std::max(0.0, process_->cpu_seconds() - cpu_before_);
    shared.calls = static_cast<uint32_t>(slots.size());
    auto go = runner_clock::now();
    reply = process_->exchange(deadline, wait);
    report.seconds = std::chrono::duration<double>(runner_clock::now() - go).count() + early;
  }
  if (reply == runner_process::reply::done && (!freeze_ || process_->freeze())) {
    uint64_t switches = process_->involuntary_switches();
    double cpu = process_->cpu_seconds();
    report.involuntary_switches = switches - std::min(switches, switches_before_);
    report.cpu_seconds = std::max(0.0, cpu - cpu_before_);
    // Exact, because it is stopped (a running one's books lag by up to a tick). It covers work before the clock as well
    // as after `done`.
    if (charge_early_work_ && on_one_cpu()) report.unclocked_seconds = report.cpu_seconds - report.seconds;
    switches_before_ = switches;
    cpu_before_ = cpu;
    if (auto now = process_->counted()) {
      report.counters =
          batch_counters{now->cycles - counted_before_.cycles, now->instructions - counted_before_.instructions,
                         now->cache_misses - counted_before_.cache_misses};
      counted_before_ = *now;
    }
    return report;
  }
  return ended(report);  // kills it first where the deadline passed
}

class host_runner final : public runner {
public:
  host_runner(process_host& host, host_runner_options options) : host_(host), options_(std::move(options)) {}

  result<std::unique_ptr<runner_session>> open(const session_request& request) override;
  std::string level() const override { return std::string(level_name(host_.sandbox().level)); }

private:
  process_request command(const session_request& request, size_t mapped_bytes) const;
  error not_ready(runner_process& process, runner_process::reply reply, double seconds) const;

  process_host& host_;
  const host_runner_options options_;
};

process_request host_runner::command(const session_request& request, size_t mapped_bytes) const {
  process_request out;
  out.arguments = {options_.program};
  // Passive: threads that spin at a barrier took 45 times longer once both were resumed on one core.
  out.environment = {"LANG=C", "OMP_WAIT_POLICY=passive", "OMP_NUM_THREADS=" + std::to_string(options_.threads)};
  out.directory = "/";
  out.limits.wall = std::chrono::seconds(options_.wall_seconds);
  out.limits.cpu_seconds = options_.cpu_seconds;
  out.limits.address_space_bytes = (uint64_t{options_.memory_mebibytes} << 20) + mapped_bytes;
  out.limits.file_bytes = 1;  // 0 would mean no limit; it has no file to write
  out.limits.processes = options_.processes;
  out.limits.open_files = 32;  // its own four, standard three, and what the loader opens
  out.limits.output_bytes = size_t{options_.last_words_kibibytes} << 10;
  out.cpus = request.cpus;
  out.urgent = request.urgent;
  return out;
}

// Why a process did not get ready, and whose fault that is.
error host_runner::not_ready(runner_process& process, runner_process::reply reply, double seconds) const {
  const auto& end = process.end();
  std::string words = end.output.empty() ? "" : ": " + end.output;
  while (words.ends_with('\n')) words.pop_back();
  if (reply == runner_process::reply::timed_out)
    return {errc::invalid_input, "the artifact was not loaded within " + std::to_string(seconds) + " s" + words};
  if (end.end == process_end::exited && (end.status == page::bad_control || end.status == page::bad_mapping))
    return {errc::io, options_.program + " could not set up its memory" + words};
  if (end.end == process_end::exited && end.status == page::not_confined)
    return {errc::io, options_.program + " could not give up its system calls" + words};
  if (process.page().refused_memory != 0)
    return {errc::out_of_memory, "the artifact was refused memory while it was loaded" + words};
  if (end.end == process_end::exited && (end.status == page::bad_artifact || end.status == page::no_entry))
    return {errc::invalid_input, words.empty() ? "the artifact cannot be loaded" : words.substr(2)};
  if (end.end == process_end::exited)
    return {errc::invalid_input, "the artifact ended its process with status " + std::to_string(end.status) +
                                     " while it was loaded" + words};
  if (end.status == SIGSYS) {
    uint32_t call = process.page().refused_call;
    return {errc::forbidden, "the artifact called " + (call ? syscall_name(call - 1) : std::string("the system")) +
                                 " while it was loaded" + words};
  }
  const char* name = sigabbrev_np(end.status);
  return {errc::invalid_input,
          "the artifact crashed while it was loaded (SIG" + std::string(name ? name : "?") + ")" + words};
}

/// Sealed memory: new, or another session's.
result<slot_memory> memory_of(const session_request& request, const std::vector<placed_group>& groups,
                              bool sealed_inputs) {
  if (request.memory_of) {
    auto* other = dynamic_cast<host_session*>(request.memory_of);
    if (!other || !other->lies_as(groups))
      return error{errc::invalid_input,
                   "a session can share the memory of one with the same layout and placement only"};
    // A process that starts must not find what another one worked on.
    auto shared = other->memory();
    for (auto& memory : {shared.inputs, shared.outputs}) std::ranges::fill(memory->bytes(), std::byte{0});
    return shared;
  }
  slot_memory made;
  for (auto [name, bytes, use, into] :
       {std::tuple{"kope-inputs", groups.back().input_end(),
                   sealed_inputs ? shared_use::written_by_us : shared_use::written_by_all, &made.inputs},
        std::tuple{"kope-outputs", groups.back().output_end(), shared_use::written_by_all, &made.outputs}}) {
    auto memory = shared_memory::create(name, std::max(page::page_bytes, bytes));  // a task may have no inputs
    if (!memory) return memory.failure();
    if (auto sealed = memory->seal(use); !sealed) return sealed.failure();
    *into = std::make_shared<shared_memory>(std::move(*memory));
  }
  return made;
}

result<std::unique_ptr<runner_session>> host_runner::open(const session_request& request) {
  const auto requested = groups_of(request);
  if (auto why = objection(request, requested); !why.empty()) return error{errc::invalid_input, why};
  if (host_.sandbox().level < options_.weakest)
    return error{errc::io, "candidates cannot be run here, the sandbox is too weak: " + describe(host_.sandbox())};
  if (options_.screened)
    if (auto why = screen_artifact(request.artifact)) return error{errc::forbidden, "the artifact " + *why};
  auto groups = placed(requested);

  auto control = shared_memory::create("kope-control", page::round_up(sizeof(page::control), page::page_bytes));
  if (!control) return control.failure();
  auto* shared = new (control->bytes().data()) page::control{};
  shared->magic = page::magic;
  shared->version = page::version;
  shared->inputs = static_cast<uint32_t>(request.layout.input_bytes.size());
  shared->outputs = static_cast<uint32_t>(request.layout.output_bytes.size());
  shared->sizes = static_cast<uint32_t>(request.layout.sizes.size());
  shared->confined = options_.confined ? 1 : 0;
  describe_groups(groups, *shared);

  auto artifact = shared_memory::create("kope-artifact", request.artifact.size());
  if (!artifact) return artifact.failure();
  auto memory = memory_of(request, groups, options_.sealed_inputs);
  if (!memory) return memory.failure();
  memcpy(artifact->bytes().data(), request.artifact.data(), request.artifact.size());
  for (auto sealed : {artifact->seal(shared_use::read_by_all), control->seal(shared_use::written_by_all)})
    if (!sealed) return sealed.failure();

  const size_t tensors = groups.back().slot_end() * (shared->inputs + shared->outputs);
  auto what = command(
      request, memory->inputs->bytes().size() + memory->outputs->bytes().size() + (tensors + 2) * page::page_bytes);
  what.descriptors = {control->fd(), artifact->fd(), memory->inputs->fd(), memory->outputs->fd()};
  what.profile = sandbox_profile::runner;
  what.loaded = page::artifact_fd - page::control_fd;
  auto deadline = runner_clock::now() + std::chrono::duration_cast<runner_clock::duration>(
                                            std::chrono::duration<double>(request.start_seconds_max));
  auto process = runner_process::start(host_, what, std::move(*control));
  if (!process) return process.failure();
  auto reply = (*process)->wait_done(page::ready, deadline);
  if (reply != runner_process::reply::done || !(*process)->freeze())
    return not_ready(**process, reply, request.start_seconds_max);
  // The kernel's word, not the runner's.
  if (options_.confined &&
      (*process)->filters() != runner_process::filters_of_this_program() + page::filters_when_ready)
    return error{errc::io, options_.program + " did not give up its system calls: is it the one of this version?"};
  return std::unique_ptr<runner_session>(
      std::make_unique<host_session>(std::move(*process), std::move(*memory), std::move(groups),
                                     request.urgent ? request.cpus : std::vector<int>{}, request.resident, options_));
}

}  // namespace

std::unique_ptr<runner> make_host_runner(process_host& host, host_runner_options options) {
  return std::make_unique<host_runner>(host, std::move(options));
}

}  // namespace kope
