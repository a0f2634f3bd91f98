// The profile stage by a fake clock: what it promotes, and what it does not believe.
#include "actors/profiler/profiling.hpp"

#include <gtest/gtest.h>

#include "storage/graph_store.hpp"
#include "tests/evaluation/small_tasks.hpp"

namespace kope::testing {
namespace {

using wire::OutcomeClass;

/// Artifacts are named by what was compiled: the reference twice, or a candidate by its source.
class naming_compiler final : public compiler {
public:
  result<uint64_t> compile(compile_request request, std::function<void(result<build>)> done) override {
    bool reference = request.source == matmul_reference;
    std::string name = !reference ? request.source : request.baseline ? "baseline" : "oracle";
    done(build::build([&](wire::Build::Builder made) {
      made.setArtifact(kj::arrayPtr(reinterpret_cast<const kj::byte*>(name.data()), name.size()));
      made.setSucceeded(true);
    }));
    return uint64_t{1};
  }
  void cancel(uint64_t) override {}
  std::string version() const override { return "fake 1"; }
  std::vector<std::string> base_flags() const override { return {}; }
};

limits_record peak_of(double operations_a_second) {
  return limits_record::build([&](wire::LimitsRecord::Builder made) {
    auto limit = made.initLimits(1)[0];
    limit.setResource(wire::Resource::F32_MULTIPLY_ADD_PEAK);
    limit.setPerSecond(operations_a_second);
  });
}

constexpr double flops = 2.0 * 32 * 32 * 32;  // of the timed case

class profiling_by_a_fake_clock : public ::testing::Test {
protected:
  profiling_by_a_fake_clock() {
    add("oracle", matmul<double>(), 2e-3);
    add("baseline", matmul<float>(), 2e-3);
    add("candidate", matmul<float>(), 1e-3);
    auto of = task::changed(*matmul_task().read(), [](wire::Task::Builder change) {
      for (auto each : change.getCases()) each.setFlops(flops);
    });
    options.banks = std::make_shared<bank_registry>(std::vector<task>{of}, bench_tools{&tool, &with, {}}, uint64_t{42});
    options.artifacts = std::make_shared<artifact_memory>();
  }

  void add(const std::string& name, fake_kernel run, double seconds) {
    with.add(name, {std::move(run), [seconds, this](size_t calls) {
                      batch_report report;
                      auto called = static_cast<double>(calls);
                      report.seconds = report.cpu_seconds = seconds * called;
                      if (counts) report.counters = batch_counters{3e6 * called, 5e6 * called, 7e3 * called};
                      return report;
                    }});
  }

  /// A device whose peak gives the candidate's case in `seconds` at least; `again`: what measuring again finds.
  void device_gives(double seconds, double again) {
    options.limits = std::make_shared<known_limits>(std::vector{peak_of(flops / seconds)}, [this, again] {
      ++measured_again;
      return result<limits_record>(peak_of(flops / again));
    });
  }

  attempt_record profiled_attempt(uint32_t number = 1) {
    auto content = work::build([&](wire::Work::Builder made) {
      auto plan = made.initPlan();
      plan.setTask("matmul");
      plan.setTimedCase("timed");
      plan.getHeader().setAttempt(make_attempt_id(exploration, number).text());
      plan.getHeader().setNumber(number);
      std::string name = "candidate";
      made.initBuild().setArtifact(kj::arrayPtr(reinterpret_cast<const kj::byte*>(name.data()), name.size()));
    });
    auto ended = profiled(options, *content.read(), nullptr);
    return attempt_record::copy_of(ended.read()->getAttempt());
  }

  exploration_id exploration{1};
  naming_compiler tool;
  fake_runner with;
  profiling_options options;
  int measured_again = 0;
  bool counts = false;  // the machine has counters
};

TEST_F(profiling_by_a_fake_clock, a_time_that_the_device_allows_is_stored_with_its_fraction_of_the_limit) {
  device_gives(0.5e-3, 0.5e-3);
  auto attempt = profiled_attempt();
  auto view = attempt.read();
  EXPECT_EQ(view->getOutcome(), OutcomeClass::IMPROVED) << view->getDiagnostics().cStr();
  EXPECT_NEAR(view->getPromotion().getFractionOfLimit(), 0.5, 0.01);
  EXPECT_EQ(view->getPromotion().getLimitedBy(), wire::Resource::F32_MULTIPLY_ADD_PEAK);
  EXPECT_EQ(measured_again, 0) << "nobody doubts it";
  ASSERT_TRUE(options.artifacts->incumbent(exploration, 0));
}

TEST_F(profiling_by_a_fake_clock, a_time_that_it_does_not_allow_is_suspect_and_never_the_incumbent) {
  device_gives(1.5e-3, 1.5e-3);
  auto attempt = profiled_attempt();
  auto view = attempt.read();
  EXPECT_EQ(view->getOutcome(), OutcomeClass::SUSPECT);
  EXPECT_EQ(view->getStage(), wire::Stage::PROFILE);
  EXPECT_TRUE(view->getFinal());
  EXPECT_NE(std::string(view->getDiagnostics().cStr()).find("f32 multiply add peak"), std::string::npos)
      << view->getDiagnostics().cStr();
  EXPECT_NEAR(view->getPromotion().getCandidateMicroseconds(), 1000, 10) << "what was measured is kept as evidence";
  EXPECT_NEAR(view->getPromotion().getFractionOfLimit(), 1.5, 0.02);
  EXPECT_FALSE(options.artifacts->incumbent(exploration, 0));
  EXPECT_FALSE(options.artifacts->artifact(make_attempt_id(exploration, 1)));
}

TEST_F(profiling_by_a_fake_clock, limits_are_measured_again_before_a_time_is_called_impossible) {
  device_gives(1.5e-3, 0.9e-3);
  auto attempt = profiled_attempt();
  auto view = attempt.read();
  EXPECT_EQ(measured_again, 1);
  EXPECT_EQ(view->getOutcome(), OutcomeClass::IMPROVED) << view->getDiagnostics().cStr();
  EXPECT_NEAR(view->getPromotion().getFractionOfLimit(), 0.9, 0.02);
}

TEST_F(profiling_by_a_fake_clock, a_time_within_the_limits_error_is_believed) {
  device_gives(1.04e-3, 1.04e-3);
  EXPECT_EQ(profiled_attempt().read()->getOutcome(), OutcomeClass::IMPROVED);
  EXPECT_EQ(measured_again, 0);
}

TEST_F(profiling_by_a_fake_clock, the_last_measurement_of_a_winner_can_be_suspect_too) {
  device_gives(1.5e-3, 1.5e-3);
  EXPECT_EQ(profiled_attempt(0).read()->getOutcome(), OutcomeClass::SUSPECT);
}

TEST_F(profiling_by_a_fake_clock, without_limits_nothing_is_suspect_and_no_fraction_is_told) {
  auto attempt = profiled_attempt();
  auto view = attempt.read();
  EXPECT_EQ(view->getOutcome(), OutcomeClass::IMPROVED) << view->getDiagnostics().cStr();
  EXPECT_EQ(view->getPromotion().getFractionOfLimit(), 0);
}

TEST_F(profiling_by_a_fake_clock, what_the_machine_counts_is_kept_for_a_call_and_nothing_where_it_counts_nothing) {
  EXPECT_FALSE(profiled_attempt(1).read()->hasCounters());
  counts = true;
  auto attempt = profiled_attempt(2);
  auto view = attempt.read();
  ASSERT_TRUE(view->hasCounters());
  EXPECT_DOUBLE_EQ(view->getCounters().getCycles(), 3e6);
  EXPECT_DOUBLE_EQ(view->getCounters().getInstructions(), 5e6);
  EXPECT_DOUBLE_EQ(view->getCounters().getCacheMisses(), 7e3);
}

}  // namespace
}  // namespace kope::testing
