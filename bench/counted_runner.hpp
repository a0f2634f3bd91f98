// A runner that counts what it is asked for: sessions, the pages that their processes touch first, and the seconds of
// both. Forwards everything. Thread-safe as the runner behind it is, but for the counts: one thread.
#pragma once

#include <chrono>
#include <memory>

#include "toolchains/runner.hpp"
#include "toolchains/runner_page.hpp"

namespace kope::bench {

struct runner_counts {
  size_t sessions = 0;
  double pages = 0;  ///< of tensors, which a runner touches before it loads
  double open_seconds = 0, call_seconds = 0;
};

inline double pages_of(const session_request& request) {
  size_t bytes = 0;
  for (const auto& [layout, place] : groups_of(request)) {
    uint32_t number = place == placement::cache_aligned ? 2 : 0;  // end and start take the same room
    for (const auto* tensors : {&layout.input_bytes, &layout.output_bytes})
      for (size_t one : *tensors) bytes += runner_page::room(one, number) * layout.slots;
  }
  return static_cast<double>(bytes / runner_page::page_bytes);
}

class counted_runner final : public runner {
public:
  explicit counted_runner(runner& behind) : behind_(behind) {}

  result<std::unique_ptr<runner_session>> open(const session_request& request) override {
    auto begun = clock::now();
    auto opened = behind_.open(request);
    counts_.open_seconds += since(begun);
    ++counts_.sessions;
    counts_.pages += pages_of(request);
    if (!opened) return opened;
    return std::unique_ptr<runner_session>(new session(std::move(*opened), counts_));
  }
  std::string level() const override { return behind_.level(); }

  /// Since the last time.
  runner_counts take() { return std::exchange(counts_, runner_counts{}); }

private:
  using clock = std::chrono::steady_clock;
  static double since(clock::time_point begun) { return std::chrono::duration<double>(clock::now() - begun).count(); }

  class session final : public runner_session {
  public:
    session(std::unique_ptr<runner_session> behind, runner_counts& counts)
      : behind_(std::move(behind)), counts_(counts) {}
    std::span<std::byte> input(size_t slot, size_t tensor) override { return behind_->input(slot, tensor); }
    std::span<std::byte> output(size_t slot, size_t tensor) override { return behind_->output(slot, tensor); }
    result<batch_report> call(std::span<const uint32_t> slots, double seconds_max) override {
      auto begun = clock::now();
      auto report = behind_->call(slots, seconds_max);
      counts_.call_seconds += since(begun);
      return report;
    }
    result<unit> move_to(std::span<const int> cpus) override { return behind_->move_to(cpus); }
    std::string last_words() const override { return behind_->last_words(); }

  private:
    std::unique_ptr<runner_session> behind_;
    runner_counts& counts_;
  };

  runner& behind_;
  runner_counts counts_;
};

}  // namespace kope::bench
