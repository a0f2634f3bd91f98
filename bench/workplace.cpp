#include "bench/workplace.hpp"

#include <poll.h>
#include <stdlib.h>

#include <iostream>
#include <random>

#include "bench/known_work.hpp"
#include "bench/operators.hpp"
#include "daemon/catalogue.hpp"
#include "daemon/commands/report.hpp"
#include "daemon/device_limits.hpp"
#include "daemon/signals.hpp"
#include "storage/lmdb_graph_store.hpp"

namespace kope::bench {
namespace {

constexpr int lock_polled_milliseconds = 20;  // a measurement of another program takes seconds

}  // namespace

result<std::unique_ptr<workplace>> workplace::open(const bench_request& request) {
  std::unique_ptr<workplace> made(new workplace);
  made->request_ = request;
  std::error_code failed;
  if (request.data_dir.empty()) {
    auto path = (std::filesystem::temp_directory_path() / "kope-bench-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr)
      return error{errc::io, "no temporary directory can be made under " +
                                 std::filesystem::temp_directory_path().string() + "; name one with --data-dir"};
    made->temporary_ = path;
    made->options_.data_dir.value = path;
  } else {
    made->options_.data_dir.value = std::filesystem::absolute(request.data_dir, failed);
  }
  // Nothing of a user's settings: a figure is of the program as it comes.
  made->options_.attempts.value = request.attempts;
  made->options_.seconds.value = request.seconds;
  for (const auto& name : operator_tasks()) {
    auto of = task_named(name);
    if (!of) return of.failure();
    made->tasks_.push_back(*of);
  }
  made->tasks_.push_back(known_work_task());
  auto store = open_lmdb_graph_store(graph_directory(made->options_).string(), store_access::write);
  if (!store) return store.failure();
  made->store_ = std::move(*store);
  auto tools = open_tool_box(made->options_, made->tasks_, std::random_device{}());
  if (!tools) return tools.failure();
  made->tools_ = std::move(*tools);
  auto libraries = make_runner(*made->tools_->processes, {.screened = false, .confined = false});
  if (!libraries) return libraries.failure();
  made->library_runner_ = std::move(*libraries);
  return made;
}

workplace::~workplace() {
  store_.reset();
  library_runner_.reset();
  tools_.reset();
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

const task& workplace::task_of(std::string_view name) const {
  const task* found = tools_->banks->find_task(name);
  check(found != nullptr, "suites use the tasks that the workplace was opened with");
  return *found;
}

result<timing_result> workplace::compare(case_bank& bank, const concrete_case& timed, const contest& between) {
  if (signal_received()) return error{errc::cancelled, "stopped by a signal"};
  measuring_alone alone(*tools_->measuring);
  timing_options options{.cpus = between.cpus.empty() ? tools_->cpus : between.cpus, .against = between.against};
  return compare_artifacts(between.library ? *library_runner_ : *tools_->with_runner, bank, timed,
                           std::as_bytes(std::span(between.old_artifact)),
                           std::as_bytes(std::span(between.new_artifact)), options, nullptr);
}

result<unit> workplace::measure_limits() {
  if (tools_->limits) return unit{};
  say("measuring the limits of this device");
  auto measured = kope::measure_limits(*tools_);
  if (!measured) return measured.failure();
  auto kept = store_->commit({.targets = {tools_->target}, .toolchains = {tools_->toolchain}, .limits = {*measured}});
  if (!kept) return kept.failure();
  if (!know_limits(*tools_, *store_, options_)) return error{errc::internal, "limits were kept and are not there"};
  return unit{};
}

std::string workplace::device_line() const {
  auto target = tools_->target.read();
  std::string isa;
  for (auto each : target->getIsa()) isa += (isa.empty() ? "" : " ") + std::string(each.cStr());
  return std::string(target->getVendor().cStr()) + ", " + target->getModel().cStr() + ", " + isa + ", L2 " +
         cache_text(target->getL2Bytes()) + ", " + std::to_string(tools_->cpus.size()) + " CPUs";
}

std::string workplace::compiler_line() const { return tools_->toolchain.read()->getCompiler().cStr(); }

measuring_alone::measuring_alone(measure_lock& lock) : lock_(lock) {
  // flock() itself would wait, but not for a lock file that cannot be opened, which counts as free.
  while (!lock_.try_lock()) poll(nullptr, 0, lock_polled_milliseconds);
}

double load_of_last_minute() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

void say(const std::string& line) { std::cerr << "bench: " << line << '\n'; }

std::string_view bytes_of(const build& artifact) {
  // The build keeps the bytes; a view of them lives as long as it does.
  auto view = artifact.read();
  auto bytes = view->getArtifact();
  return {reinterpret_cast<const char*>(bytes.begin()), bytes.size()};
}

}  // namespace kope::bench
