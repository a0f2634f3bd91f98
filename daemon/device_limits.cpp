#include "daemon/device_limits.hpp"

#include <poll.h>

#include <chrono>
#include <cstdio>

#include "actors/evaluation/cpu_choice.hpp"
#include "daemon/signals.hpp"
#include "messages/enum_names.hpp"
#include "toolchains/limit_meter.hpp"

namespace kope {
namespace {

constexpr int lock_polled_ms = 20;  // a measurement of another program takes seconds
// Two comparisons of another program, each of which may take 8 s of timed work and as much around it.
constexpr std::chrono::seconds lock_awaited{30};

/// The machine's measuring lock, for a command that runs no ledger.
class machine_lock {
public:
  explicit machine_lock(measure_lock& lock) : lock_(lock) {}
  ~machine_lock() {
    if (holds_) lock_.unlock();
  }
  machine_lock(const machine_lock&) = delete;
  machine_lock& operator=(const machine_lock&) = delete;

  result<unit> wait() {
    auto until = std::chrono::steady_clock::now() + lock_awaited;
    while (!(holds_ = lock_.try_lock())) {
      if (signal_received()) return error{errc::cancelled, "stopped by a signal"};
      if (std::chrono::steady_clock::now() > until)
        return error{errc::busy, "another kope of this machine measures all the time; try again later"};
      poll(nullptr, 0, lock_polled_ms);
    }
    return unit{};
  }

private:
  measure_lock& lock_;
  bool holds_ = false;
};

/// What it measures with outlives it. The caller measures alone.
result<limits_record> measure(compiler& with, runner& on, const std::vector<int>& cpus, const target_record& target,
                              const std::string& toolchain_key, bool quick) {
  int cpu = quickest_cpu(cpus);
  stay_off elsewhere(cpu);
  auto meter = limit_meter::open(with, on);
  if (!meter) return meter.failure();
  auto view = target.read();
  auto measured = meter->measure_all(*view, cpu, quick);
  if (!measured) return measured.failure();
  std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return limits_record::changed(*measured->read(), [&](wire::LimitsRecord::Builder change) {
    change.setMeasuredUnixSeconds(now.count());
    change.setToolchain(toolchain_key);
  });
}

result<std::vector<limits_record>> recorded(const graph_store& store, const target_record& target) {
  auto snapshot = store.snapshot();
  if (!snapshot) return snapshot.failure();
  return (*snapshot)->limits(target.read()->getKey().cStr(), limit_records_used);
}

}  // namespace

result<limits_record> measure_limits(tool_box& tools) {
  machine_lock alone(*tools.measuring);
  if (auto got = alone.wait(); !got) return got.failure();
  return measure(*tools.tool, *tools.with_runner, tools.cpus, tools.device, tools.toolchain.read()->getKey().cStr(),
                 false);
}

bool know_limits(tool_box& tools, graph_store& store, const run_options& options) {
  auto records = recorded(store, tools.device);
  if (records && records->empty()) {
    // `eval` has a store of its own in memory
    auto reader = open_reader(options);
    if (reader) records = recorded(**reader, tools.device);
  }
  std::vector<limits_record> known;
  if (records) known = *records;
  if (known.empty()) return false;
  // The tools that the judging threads use; they end before the box does.
  auto again = [with = tools.tool, on = tools.with_runner, cpus = tools.cpus, target = tools.device,
                key = std::string(tools.toolchain.read()->getKey().cStr())] {
    return measure(*with, *on, cpus, target, key, true);
  };
  tools.limits = std::make_shared<known_limits>(std::move(known), std::move(again));
  return true;
}

result<unit> keep_fresh_limits(const tool_box& tools, graph_store& store) {
  if (!tools.limits) return unit{};
  commit_batch batch;
  batch.limits = tools.limits->take_fresh();
  if (batch.empty()) return unit{};
  auto kept = store.commit(batch);
  if (!kept) return kept.failure();
  return unit{};
}

std::string label_of(wire::Resource resource) {
  auto text = enum_name(resource);
  for (char& c : text)
    if (c == '_') c = ' ';
  return text;
}

std::string limits_text(wire::LimitsRecord::Reader measured) {
  std::string text = "measured " + utc_text(measured.getMeasuredUnixSeconds()) +
                     (measured.getQuick() ? ", quickly" : ", thoroughly") + ", one thread:";
  for (auto limit : measured.getLimits()) {
    bool bytes = limit.getFootprintBytes() > 0;
    char line[160];
    std::snprintf(line, sizeof line, "\n  %-22s %8.1f %s  -%.1f %%", label_of(limit.getResource()).c_str(),
                  limit.getPerSecond() / 1e9, bytes ? "GB/s" : "G/s ", 100 * limit.getError());
    text += line;
    if (!bytes) continue;
    std::snprintf(line, sizeof line, "  in %.0f KiB", limit.getFootprintBytes() / 1024);
    text += line;
  }
  return text;
}

}  // namespace kope
