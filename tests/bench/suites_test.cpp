#include <gtest/gtest.h>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include "bench/durable_rate.hpp"
#include "bench/flag_sets.hpp"
#include "bench/identical_kernels.hpp"
#include "bench/message_count.hpp"
#include "bench/operators.hpp"
#include "bench/peer_sources.hpp"
#include "bench/peers.hpp"
#include "bench/running_cost.hpp"
#include "config/toolchain_files.hpp"
#include "toolchains/cpp_compiler.hpp"

namespace kope::bench {
namespace {

comparison ratio(double value, double old_us, double new_us) {
  return comparison::build([&](wire::Comparison::Builder c) {
    c.setRatio(value);
    c.setLow(value * 0.99);
    c.setHigh(value * 1.01);
    c.setPairs(8);
    c.setBaselineMicroseconds(old_us);
    c.setCandidateMicroseconds(new_us);
  });
}

operator_result product(double speedup, double over_peer) {
  operator_result of;
  of.task = "matmul";
  of.timed_case = "large";
  of.flops = 2e8;
  of.bytes = 3e6;
  of.least = {.seconds = 2e-3, .limited_by = wire::Resource::F32_MULTIPLY_ADD_PEAK, .rate = 1e11};
  of.peers = {{.library = "OpenBLAS", .about = "OpenBLAS 1", .refused = "element 0 is 1, right is 2"},
              {.library = "Eigen", .about = "Eigen 2", .against = ratio(over_peer, 3000 * over_peer, 3000)}};
  of.best_peer = 1;
  of.speedup = ratio(speedup, 3000 * speedup, 3000);
  return of;
}

TEST(operators, meet_their_targets_by_ratio_to_reference_and_best_peer) {
  auto targets = operator_targets({product(101, 0.95)});
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_TRUE(all_met(targets));
  EXPECT_FALSE(operator_targets({product(99, 0.95)})[0].met());
  EXPECT_FALSE(operator_targets({product(101, 0.85)})[1].met());
}

TEST(operators, are_held_to_their_geomean_over_the_best_peers) {
  auto other = product(101, 1.3);
  auto targets = operator_targets({product(101, 0.95), other});
  ASSERT_EQ(targets.size(), 5u);
  EXPECT_TRUE(targets.back().met());  // sqrt(0.95 * 1.3) = 1.11
  EXPECT_FALSE(operator_targets({product(101, 0.95), product(101, 1.2)}).back().met());
}

TEST(operators, tell_what_a_peer_got_wrong_when_no_peer_counts) {
  auto of = product(101, 1);
  of.peers.pop_back();
  of.best_peer.reset();
  auto targets = operator_targets({of});
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_FALSE(targets[1].met());
  EXPECT_EQ(targets[1].note, "element 0 is 1, right is 2");
  EXPECT_NE(operators_text({of}).find("OpenBLAS 1: refused, element 0 is 1"), std::string::npos);
}

TEST(operators, explain_a_missed_target_by_what_the_limit_allows) {
  // 2 ms at least; the reference takes 150 ms and the winner 3.
  auto targets = operator_targets({product(50, 0.95)});
  EXPECT_EQ(targets[0].note, "the f32 multiply add peak allows 75.0x; the winner runs at 67 % of it");
}

TEST(operators, without_a_winner_miss_every_target) {
  operator_result of;
  of.task = "sum";
  auto targets = operator_targets({of});
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_FALSE(targets[0].met());
  EXPECT_FALSE(targets[1].met());
  EXPECT_TRUE(operators_json({of})[0]["speedup"].is_null());
}

TEST(peers, each_name_a_library_and_a_task_of_the_table) {
  auto tasks = operator_tasks();
  auto libraries = peer_libraries();
  for (auto& source : peer_sources()) {
    EXPECT_NE(std::find(tasks.begin(), tasks.end(), source.task), tasks.end()) << source.task;
    EXPECT_TRUE(std::any_of(libraries.begin(), libraries.end(), [&](auto& each) {
      return each.name == source.library;
    })) << source.library;
  }
  auto with_peers = tasks_with_peers();
  for (auto& task : tasks)
    EXPECT_NE(std::find(with_peers.begin(), with_peers.end(), task), with_peers.end()) << task << " has no peer";
}

TEST(operators, are_one_line_each_in_the_table) {
  auto text = operators_text({product(120, 0.95)});
  EXPECT_NE(text.find("\nmatmul "), std::string::npos) << text;
  EXPECT_NE(text.find("120 [119, 121]"), std::string::npos) << text;
}

TEST(flag_sets, are_all_allowed_by_the_toolchain) {
  auto description = load_toolchain(KOPE_SOURCE_DIRECTORY "/config/toolchains", "cpp-gcc");
  ASSERT_TRUE(description.ok()) << description.failure().what;
  for (const auto& flags : flag_sets())
    for (const auto& flag : flags) EXPECT_TRUE(flag_allowed(description->allowed_flags, flag)) << flag;
}

identical_comparison decided(wire::Decision decision, double value, const std::string& note = "") {
  return {.ratio = value,
          .low = value - 0.01,
          .high = value + 0.01,
          .pairs = 10,
          .decision = decision,
          .note = note,
          .seconds = 2};
}

TEST(identical_kernels, count_claims_of_both_directions) {
  std::vector<identical_comparison> all(97, decided(wire::Decision::NO_DIFFERENCE, 1));
  all.push_back(decided(wire::Decision::FASTER, 1.05));
  all.push_back(decided(wire::Decision::SLOWER, 0.95));
  all.push_back(decided(wire::Decision::UNDECIDED, 1.01, "time was up"));
  auto counted = count(all);
  EXPECT_EQ(counted.faster, 1u);
  EXPECT_EQ(counted.slower, 1u);
  EXPECT_EQ(counted.undecided, 1u);
  EXPECT_EQ(counted.out_of_time, 1u);
  EXPECT_EQ(counted.no_difference, 97u);
  EXPECT_EQ(counted.median_deviation, 0);
}

TEST(identical_kernels, of_which_four_in_a_hundred_are_told_apart_miss_the_target) {
  identical_result of{.kernel = "k", .comparisons = std::vector(97, decided(wire::Decision::NO_DIFFERENCE, 1))};
  for (int i = 0; i < 3; ++i) of.comparisons.push_back(decided(wire::Decision::FASTER, 1.05));
  EXPECT_TRUE(all_met(identical_targets({of})));
  of.comparisons.front() = decided(wire::Decision::SLOWER, 0.9);
  EXPECT_FALSE(all_met(identical_targets({of})));
}

TEST(identical_kernels, that_were_never_compared_miss_the_target) {
  EXPECT_FALSE(all_met(identical_targets({{.kernel = "k"}})));
}

attempt_record attempt(wire::OutcomeClass outcome, double compile_seconds) {
  return attempt_record::build([&](wire::Attempt::Builder a) {
    a.setOutcome(outcome);
    a.setCompileSeconds(compile_seconds);
  });
}

TEST(durable_rate, is_held_to_five_hundred_attempts_a_second) {
  durable_rate rate{.explorations = 1000, .attempts = 20'000, .seconds = 39};
  EXPECT_TRUE(all_met(durable_targets(rate)));
  rate.seconds = 41;
  EXPECT_FALSE(all_met(durable_targets(rate)));
  EXPECT_EQ(durable_json(rate)["attempts_a_second"], 20'000 / 41.0);
  EXPECT_FALSE(all_met(durable_targets({}))) << "nothing was measured";
}

TEST(messages, are_counted_as_they_are_sent_to_any_actor) {
  caf::actor_system_config config;
  caf::actor_system system(config);
  auto before = messages_sent();
  auto sink = system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](int) {}}; });
  for (int i = 0; i < 50; ++i) caf::anon_send(sink, i);
  EXPECT_GE(messages_sent() - before, 50u);
}

TEST(running_cost, is_the_median_of_attempts_that_went_all_the_way) {
  auto medians =
      median_seconds({attempt(wire::OutcomeClass::IMPROVED, 1), attempt(wire::OutcomeClass::CORRECT_NOT_FASTER, 2),
                      attempt(wire::OutcomeClass::UNDECIDED, 3), attempt(wire::OutcomeClass::BUILD_FAILED, 100)});
  EXPECT_EQ(medians.compile, 2);
  EXPECT_EQ(median_seconds({}).compile, 0);
}

}  // namespace
}  // namespace kope::bench
