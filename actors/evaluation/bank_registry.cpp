#include "actors/evaluation/bank_registry.hpp"

#include "actors/evaluation/kernel_shim.hpp"

namespace kope {

result<build> compile_candidate(compiler& with, wire::Task::Reader of, std::string_view source,
                                const std::vector<std::string>& flags) {
  auto around = candidate_surrounding(of);
  return compile_and_wait(with, {.source = std::string(source),
                                 .prologue = std::move(around.prologue),
                                 .epilogue = std::move(around.epilogue),
                                 .flags = flags,
                                 .language = language_of(of)});
}

bank_registry::bank_registry(std::vector<task> tasks, bench_tools tools, uint64_t seed)
  : tasks_(std::move(tasks)), tools_(std::move(tools)), seed_(seed) {
  for (auto& of : tasks_) slots_[of.read()->getName().cStr()];
}

const task* bank_registry::find_task(std::string_view name) const {
  for (auto& of : tasks_)
    if (name == of.read()->getName().cStr()) return &of;
  return nullptr;
}

result<std::shared_ptr<case_bank>> bank_registry::bank(std::string_view task_name) {
  auto at = slots_.find(task_name);
  if (at == slots_.end()) return error{errc::not_found, "there is no task " + std::string(task_name)};
  std::lock_guard hold(at->second.making);
  if (!at->second.made) {
    auto made = make(*find_task(task_name));
    if (!made) return made.failure();
    at->second.made = std::move(*made);
  }
  return at->second.made;
}

result<std::shared_ptr<case_bank>> bank_registry::make(const task& of) {
  auto view = of.read();
  auto compiled = [&](surrounding around, bool baseline, std::vector<std::string> flags) -> result<std::string> {
    auto built = compile_and_wait(*tools_.with_compiler, {.source = view->getReference().cStr(),
                                                          .prologue = std::move(around.prologue),
                                                          .epilogue = std::move(around.epilogue),
                                                          .flags = std::move(flags),
                                                          .baseline = baseline,
                                                          .language = language_of(*view)});
    if (!built) return built.failure();
    auto done = built->read();
    if (!done->getSucceeded())
      return error{errc::invalid_input, std::string("the reference of task ") + view->getName().cStr() +
                                            " does not compile: " + done->getDiagnostics().cStr()};
    auto bytes = done->getArtifact();
    return std::string(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
  };
  // As given: nothing that could change its rounding, and fast enough to be run dozens of times.
  bool as_given = view->getOracle() == wire::OracleKind::AS_GIVEN;
  auto oracle = as_given ? compiled(oracle_surrounding(*view), true, {"-O1", "-ffp-contract=off"})
                         : compiled(oracle_surrounding(*view), false, {});
  if (!oracle) return oracle.failure();
  std::vector<std::string> own_flags;
  for (auto flag : view->getBaselineFlags()) own_flags.emplace_back(flag.cStr());
  auto baseline = compiled(baseline_surrounding(*view), true, std::move(own_flags));
  if (!baseline) return baseline.failure();
  return std::make_shared<case_bank>(of, std::move(*oracle), std::move(*baseline), *tools_.with_runner, seed_,
                                     tools_.cpus, tools_.active);
}

}  // namespace kope
