#include "daemon/tool_box.hpp"

#include "config/share.hpp"
#include "config/task_files.hpp"
#include "config/toolchain_files.hpp"
#include "daemon/catalogue.hpp"
#include "messages/content_hash.hpp"
#include "messages/enum_names.hpp"
#include "toolchains/device.hpp"

namespace kope {
namespace {

toolchain_record record_of(const cpp_compiler_options& description, const compiler& tool) {
  return toolchain_record::build([&](wire::ToolchainRecord::Builder record) {
    std::string version = tool.version();
    std::string_view fields[] = {description.name, version, description.language};
    record.setKey(content_hash_of(fields));
    record.setName(description.name);
    record.setCompiler(version);
    record.setLanguage(description.language);
  });
}

}  // namespace

result<std::unique_ptr<tool_box>> open_tool_box(const run_options& options, std::vector<task> tasks, uint64_t seed) {
  auto box = std::make_unique<tool_box>();
  auto share = share_directory();
  if (!share) return share.failure();
  box->share = *share;
  box->data = options.data_dir.value;
  std::error_code failed;
  auto scratch = box->data / "scratch";
  std::filesystem::create_directories(scratch, failed);
  if (failed)
    return error{errc::io, "the data directory " + box->data.string() + " cannot be made: " + failed.message() +
                               "; choose another with --data-dir"};
  auto description = load_toolchain(box->share / "config" / "toolchains", options.toolchain.value);
  if (!description) return description.failure();

  box->cpus = usable_cpus();
  auto mode = enum_value<wire::TimingMode>(options.timing.value).value_or(wire::TimingMode::ROTATING);
  auto target = detect_target(1, mode);
  if (!target) return target.failure();
  box->target = *target;
  auto device = detect_target(1);
  if (!device) return device.failure();
  box->device = *device;

  box->processes = std::make_unique<process_host>(scratch.string());
  box->processes->sweep();
  if (box->processes->sandbox().level < sandbox_level::lite)
    return error{errc::io, "this machine cannot hold candidates: " + describe(box->processes->sandbox())};
  auto tool = make_compiler(*box->processes, *description, (scratch / "compile").string());
  if (!tool) return tool.failure();
  box->tool = std::move(*tool);
  box->toolchain = record_of(*description, *box->tool);
  auto with_runner = make_runner(*box->processes);
  if (!with_runner) return with_runner.failure();
  box->with_runner = std::move(*with_runner);
  box->measuring = std::make_unique<measure_lock>("/tmp/kope-measure.lock");
  box->banks = std::make_shared<bank_registry>(std::move(tasks),
                                               bench_tools{.with_compiler = box->tool.get(),
                                                           .with_runner = box->with_runner.get(),
                                                           .cpus = box->cpus,
                                                           .mode = mode,
                                                           .l2_bytes = box->target.read()->getL2Bytes()},
                                               seed);
  // a thread for each run slot of the ledger and one for measuring
  box->threads = std::make_shared<device_threads>(box->cpus.size() + 1);
  return box;
}

result<task> task_named(std::string_view name) {
  auto share = share_directory();
  if (!share) return share.failure();
  return find_task(*share / "tasks", name);
}

}  // namespace kope
