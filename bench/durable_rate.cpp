#include "bench/durable_rate.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>

#include "bench/message_count.hpp"
#include "bench/text_table.hpp"
#include "daemon/exploring.hpp"
#include "daemon/runtime.hpp"
#include "daemon/signals.hpp"
#include "tests/support/fake_tools.hpp"

namespace kope::bench {
namespace {

constexpr uint32_t explorations = 1000;
constexpr uint32_t attempts_each = 20;  // what an exploration costs to begin and to end is a twentieth of an attempt's
constexpr double attempts_a_second_min = 500;
constexpr double explorations_seconds_max = 600;  // ten times what a disk of 100 waits a second takes
constexpr const char* explored_task = "matmul";
constexpr const char* explored_case = "medium";

/// A number of this process's `/proc/self/io`.
double io_counter(const std::string& name) {
  std::ifstream file("/proc/self/io");
  std::string key;
  double value = 0;
  while (file >> key >> value)
    if (key == name + ":") return value;
  return 0;
}

double resident_mebibytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// The store, its commits counted.
class counted_commits final : public graph_store {
public:
  explicit counted_commits(std::shared_ptr<graph_store> inner) : inner_(std::move(inner)) {}

  result<std::vector<outcome_receipt>> commit(const commit_batch& batch) override {
    ++commits_;
    return inner_->commit(batch);
  }
  result<std::unique_ptr<graph_snapshot>> snapshot() const override { return inner_->snapshot(); }
  uint32_t incarnation() const override { return inner_->incarnation(); }
  result<exploration_id> new_exploration_id() override { return inner_->new_exploration_id(); }
  uint64_t commits() const { return commits_; }

private:
  std::shared_ptr<graph_store> inner_;
  std::atomic<uint64_t> commits_{0};
};

/// Puts another compiler into the tool box, for as long as it lives.
class other_compiler {
public:
  other_compiler(tool_box& box, std::shared_ptr<compiler> other) : box_(box), own_(std::exchange(box.tool, other)) {}
  ~other_compiler() { box_.tool = own_; }
  other_compiler(const other_compiler&) = delete;
  other_compiler& operator=(const other_compiler&) = delete;

private:
  tool_box& box_;
  std::shared_ptr<compiler> own_;
};

}  // namespace

result<durable_rate> measure_durable_rate(workplace& at) {
  durable_rate rate;
  rate.explorations = explorations;
  rate.load_before = load_of_last_minute();
  auto store = std::make_shared<counted_commits>(at.store());
  testing::fake_bench judging;
  other_compiler answering(at.tools(), std::make_shared<testing::fake_compiler>());
  rate.resident_before = rate.resident_peak = resident_mebibytes();
  double written = io_counter("wchar");
  uint64_t messages = messages_sent();
  auto begun = std::chrono::steady_clock::now();
  {
    runtime running(at.tools(), store,
                    {.measure_winner = false,
                     .begins = {judging.verifying(at.tools().threads), judging.profiling(at.tools().threads)}});
    for (uint32_t n = 0; n < explorations; ++n)
      running.explore(new_row(at.tools(), at.task_of(explored_task),
                              {.timed_case = explored_case,
                               .attempts = attempts_each,
                               .seconds = explorations_seconds_max,
                               .seed = n + 1,
                               .tickets = 1,
                               .policy = "local_search",
                               .coder = "schedule"}));
    for (uint32_t ended = 0; ended < explorations;) {
      if (signal_received()) return error{errc::cancelled, "stopped by a signal"};
      auto event = running.wait(std::chrono::milliseconds(200));
      if (!event) continue;
      if (std::holds_alternative<committed>(event->what)) {
        if (++rate.attempts % 256 == 0) rate.resident_peak = std::max(rate.resident_peak, resident_mebibytes());
      } else if (auto* row = std::get_if<exploration_row>(&event->what)) {
        auto view = row->read();
        if (view->getState() != wire::ExplorationState::FINISHED)
          return error{errc::internal, std::string("an exploration failed: ") + view->getStopReason().cStr()};
        ++ended;
      } else {
        return error{errc::internal, std::get<std::string>(event->what)};
      }
    }
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    rate.seconds = took.count();
    auto each = static_cast<double>(rate.attempts);
    rate.messages_each = static_cast<double>(messages_sent() - messages) / each;
    rate.bytes_written_each = (io_counter("wchar") - written) / each;
    rate.commits_each = static_cast<double>(store->commits()) / each;
  }
  rate.load_after = load_of_last_minute();
  return rate;
}

std::vector<target> durable_targets(const durable_rate& rate) {
  target fast{.name = "durable attempts with a toolchain that answers at once",
              .wanted = attempts_a_second_min,
              .unit = "a second"};
  if (rate.seconds > 0) fast.measured = static_cast<double>(rate.attempts) / rate.seconds;
  return {fast};
}

std::string durable_text(const durable_rate& rate) {
  text_table table({"with a toolchain that answers at once", "", "what"});
  std::string of = std::to_string(rate.explorations) + " explorations of one ticket";
  table.add({"attempts a second", short_number(static_cast<double>(rate.attempts) / rate.seconds),
             std::to_string(rate.attempts) + " attempts in " + short_number(rate.seconds) + " s, on disk"});
  table.add({"resident memory", short_number(rate.resident_peak) + " MiB",
             of + "; " + short_number(rate.resident_before) + " MiB before"});
  table.add({"messages", number_text(rate.messages_each, 1), "an attempt, explorations' own included"});
  table.add({"written", short_number(rate.bytes_written_each / 1024) + " KiB", "an attempt, by this process"});
  table.add({"transactions", number_text(rate.commits_each, 3), "an attempt, each waits for the disk"});
  return table.text() + "load: " + short_number(rate.load_before) + " before, " + short_number(rate.load_after) +
         " after\n";
}

json durable_json(const durable_rate& rate) {
  json one;
  one["explorations"] = rate.explorations;
  one["attempts"] = rate.attempts;
  one["seconds"] = rate.seconds;
  one["attempts_a_second"] = static_cast<double>(rate.attempts) / rate.seconds;
  one["resident_mebibytes"] = {{"before", rate.resident_before}, {"peak", rate.resident_peak}};
  one["messages_per_attempt"] = rate.messages_each;
  one["bytes_written_per_attempt"] = rate.bytes_written_each;
  one["transactions_per_attempt"] = rate.commits_each;
  one["load"] = json::array({rate.load_before, rate.load_after});
  return one;
}

}  // namespace kope::bench
