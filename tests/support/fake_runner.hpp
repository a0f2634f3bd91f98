// A runner without processes: artifacts are names of kernels that a test gives as functions, and time is what the test
// says it is. For testing verification and timing in microseconds and without sleeping. Thread-safe as far as the
// kernels are.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "toolchains/runner.hpp"

namespace kope::testing {

/// What the runner's entry is: inputs, outputs, sizes. A kernel that fails throws a batch_report with its end.
using fake_kernel = std::function<void(const void* const*, void* const*, const int64_t*)>;

class fake_runner : public runner {
public:
  struct kernel {
    fake_kernel run;
    /// Seconds of a batch of so many calls; called once a batch. Nothing: 1 ms a call.
    std::function<batch_report(size_t calls)> clock;
  };
  struct counts {
    size_t sessions = 0, batches = 0, calls = 0;
  };

  void add(const std::string& name, kernel k) { kernels_[name] = std::move(k); }
  void add(const std::string& name, fake_kernel run) { add(name, kernel{std::move(run), nullptr}); }

  counts of(const std::string& name) {
    std::lock_guard lock(mutex_);
    return counts_[name];
  }
  /// Called after each batch with the artifact's name and the slots in the order of the calls.
  std::function<void(const std::string&, std::span<const uint32_t>)> after_batch;
  /// Called with the artifact's name for each session.
  std::function<void(const std::string&)> at_open;

  result<std::unique_ptr<runner_session>> open(const session_request& request) override {
    std::string name(reinterpret_cast<const char*>(request.artifact.data()), request.artifact.size());
    auto at = kernels_.find(name);
    if (at == kernels_.end()) return error{errc::invalid_input, "artifact " + name + " died while loading"};
    {
      std::lock_guard lock(mutex_);
      ++counts_[name].sessions;
    }
    if (at_open) at_open(name);
    return std::unique_ptr<runner_session>(new session(*this, name, at->second, request));
  }
  std::string level() const override { return "fake"; }

private:
  class session : public runner_session {
  public:
    session(fake_runner& owner, std::string name, const kernel& k, const session_request& request)
      : owner_(owner), name_(std::move(name)), kernel_(k) {
      for (auto& group : groups_of(request)) {
        auto layout = std::make_shared<const slot_layout>(std::move(group.layout));
        layouts_.insert(layouts_.end(), layout->slots, layout);
      }
      if (auto* other = dynamic_cast<session*>(request.memory_of)) {
        inputs_ = other->inputs_;
        outputs_ = other->outputs_;
        for (auto& memory : outputs_) std::fill(memory->begin(), memory->end(), 0.0);
        return;
      }
      for (const auto& layout : layouts_) {
        for (size_t bytes : layout->input_bytes) inputs_.push_back(memory(bytes));
        for (size_t bytes : layout->output_bytes) outputs_.push_back(memory(bytes));
      }
    }

    std::span<std::byte> input(size_t slot, size_t tensor) override {
      const auto& bytes = layouts_.at(slot)->input_bytes;
      return {reinterpret_cast<std::byte*>(inputs_[slot * bytes.size() + tensor]->data()), bytes.at(tensor)};
    }
    std::span<std::byte> output(size_t slot, size_t tensor) override {
      const auto& bytes = layouts_.at(slot)->output_bytes;
      return {reinterpret_cast<std::byte*>(outputs_[slot * bytes.size() + tensor]->data()), bytes.at(tensor)};
    }

    result<batch_report> call(std::span<const uint32_t> slots, double) override {
      auto report = kernel_.clock ? kernel_.clock(slots.size()) : batch_report{};
      if (!kernel_.clock) report.seconds = report.cpu_seconds = 1e-3 * static_cast<double>(slots.size());
      {
        std::lock_guard lock(owner_.mutex_);
        ++owner_.counts_[name_].batches;
        owner_.counts_[name_].calls += slots.size();
      }
      for (uint32_t slot : slots) {
        std::vector<const void*> in;
        std::vector<void*> out;
        const auto& layout = *layouts_.at(slot);
        for (size_t i = 0; i < layout.input_bytes.size(); ++i) in.push_back(input(slot, i).data());
        for (size_t o = 0; o < layout.output_bytes.size(); ++o) out.push_back(output(slot, o).data());
        try {
          kernel_.run(in.data(), out.data(), layout.sizes.data());
        } catch (const batch_report& end) {
          return end;
        }
      }
      if (owner_.after_batch) owner_.after_batch(name_, slots);
      return report;
    }

    result<unit> move_to(std::span<const int>) override { return unit{}; }
    std::string last_words() const override { return ""; }

  private:
    /// Whole double words, so that every element type is aligned.
    static std::shared_ptr<std::vector<double>> memory(size_t bytes) {
      return std::make_shared<std::vector<double>>((bytes + 7) / 8);
    }

    fake_runner& owner_;
    std::string name_;
    kernel kernel_;
    std::vector<std::shared_ptr<const slot_layout>> layouts_;             // of each slot
    std::vector<std::shared_ptr<std::vector<double>>> inputs_, outputs_;  // shared with sessions that asked for it
  };

  std::map<std::string, kernel> kernels_;
  std::mutex mutex_;
  std::map<std::string, counts> counts_;
};

/// Artifact bytes of a kernel of this name.
inline std::span<const std::byte> artifact_named(const std::string& name) { return std::as_bytes(std::span(name)); }

}  // namespace kope::testing
