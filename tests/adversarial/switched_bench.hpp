// One source of the shipped suite through the real compiler, verification and comparison, with chosen defences off:
// what the pipeline does, without actors, so that a switch reaches what it turns off. Banks and artifacts are kept by
// what they depend on, because making them takes longer than judging.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "actors/evaluation/bank_registry.hpp"
#include "actors/evaluation/cpu_choice.hpp"
#include "actors/evaluation/paired_timing.hpp"
#include "actors/evaluation/verification.hpp"
#include "config/adversarial_suite.hpp"
#include "config/toolchain_files.hpp"
#include "messages/enum_names.hpp"
#include "tests/toolchains/scratch_directory.hpp"
#include "toolchains/cpp_compiler.hpp"
#include "toolchains/device.hpp"
#include "toolchains/host_runner.hpp"

namespace kope::testing {

struct switches {
  defences active;
  bool freeze = true;
  bool sealed_inputs = true;
  bool charge_early_work = true;
};

struct judged_source {
  wire::OutcomeClass outcome = wire::OutcomeClass::HARNESS_ERROR;
  std::string detail;
  double ratio = 0;
};

class switched_bench {
public:
  switched_bench() {
    auto description = load_toolchain(KOPE_SOURCE_DIRECTORY "/config/toolchains", "cpp-gcc");
    auto suite = load_adversarial_suite(KOPE_SOURCE_DIRECTORY "/config/adversarial");
    if (!description || !suite) throw std::runtime_error(suite ? description.failure().what : suite.failure().what);
    suite_ = std::move(*suite);
    auto made = make_cpp_compiler(host_, *description, scratch_.path() + "/compile");
    if (!made) throw std::runtime_error(made.failure().what);
    compiler_ = std::move(*made);
  }

  const suite_source& source(const std::string& name) const {
    for (auto& each : suite_.sources)
      if (each.name == name) return each;
    throw std::runtime_error("the suite has no source " + name);
  }

  /// `draw` chooses the drawn shape.
  judged_source judge(const suite_source& source, const switches& with, uint64_t draw = 0) {
    auto runner = runner_with(with);
    bank_registry banks(
        {task_of(source)},
        {.with_compiler = compiler_.get(), .with_runner = runner.get(), .cpus = usable_cpus(), .active = with.active},
        20240607);
    auto bank = banks.bank(source.task);
    if (!bank) return {wire::OutcomeClass::HARNESS_ERROR, bank.failure().what};
    const auto& artifact = artifact_of(source);
    if (artifact.empty()) return {wire::OutcomeClass::BUILD_FAILED, "it does not compile"};
    auto bytes = std::as_bytes(std::span(artifact));
    auto verdict = verify_artifact(*runner, **bank, bytes, {.cpus = usable_cpus(), .draw = draw}, nullptr);
    if (!verdict) return {wire::OutcomeClass::HARNESS_ERROR, verdict.failure().what};
    auto view = verdict->read();
    if (view->getOutcome() != wire::OutcomeClass::CORRECT_NOT_FASTER)
      return {view->getOutcome(), view->getDetail().cStr()};
    auto timed = (*bank)->case_named(timed_case_of(source));
    if (!timed) return {wire::OutcomeClass::HARNESS_ERROR, timed.failure().what};
    auto baseline = std::as_bytes(std::span((*bank)->baseline()));
    auto compared = compare_artifacts(*runner, **bank, *timed, baseline, bytes, {.cpus = usable_cpus()}, nullptr);
    if (!compared) return {wire::OutcomeClass::HARNESS_ERROR, compared.failure().what};
    if (compared->fault != wire::OutcomeClass::IMPROVED) return {compared->fault, compared->fault_detail};
    auto found = compared->compared.read();
    auto outcome = found->getDecision() == wire::Decision::FASTER      ? wire::OutcomeClass::IMPROVED
                   : found->getDecision() == wire::Decision::UNDECIDED ? wire::OutcomeClass::UNDECIDED
                                                                       : wire::OutcomeClass::CORRECT_NOT_FASTER;
    return {outcome, enum_name(outcome), found->getRatio()};
  }

private:
  std::unique_ptr<runner> runner_with(const switches& with) {
    host_runner_options options;
    options.program = KOPE_RUNNER_PROGRAM;
    // They come before the defences that are tried here, and have tests of their own.
    options.screened = false;
    options.confined = false;
    options.freeze = with.freeze;
    options.sealed_inputs = with.sealed_inputs;
    options.charge_early_work = with.charge_early_work;
    return make_host_runner(host_, options);
  }

  task task_of(const suite_source& source) const {
    for (auto& each : suite_.tasks)
      if (source.task == each.read()->getName().cStr()) return each;
    throw std::runtime_error("the suite has no task " + source.task);
  }

  std::string timed_case_of(const suite_source& source) const {
    if (!source.timed_case.empty()) return source.timed_case;
    auto of = task_of(source);
    auto view = of.read();
    for (auto each : view->getCases())
      if (each.getKind() == wire::CaseKind::TIMED) return each.getName().cStr();
    return {};
  }

  const std::string& artifact_of(const suite_source& source) {
    auto& kept = artifacts_[source.name];
    if (!kept.empty()) return kept;
    auto of = task_of(source);
    auto built = compile_candidate(*compiler_, *of.read(), source.text, source.flags);
    if (!built) return kept;
    auto view = built->read();
    auto bytes = view->getArtifact().asChars();
    return kept = std::string(bytes.begin(), bytes.size());
  }

  scratch_directory scratch_;
  process_host host_{scratch_.path() + "/children"};
  adversarial_suite suite_;
  std::unique_ptr<compiler> compiler_;
  std::map<std::string, std::string> artifacts_;
};

}  // namespace kope::testing
