#include "actors/evaluation/paired_timing.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "tests/evaluation/small_tasks.hpp"

namespace kope {
namespace {

using namespace testing;
using wire::Decision;
using wire::OutcomeClass;

/// A clock with noise and slow common drift, in which a call takes `seconds`.
std::function<batch_report(size_t)> clock_of(double seconds, double noise, unsigned seed) {
  auto random = std::make_shared<std::mt19937_64>(seed);
  return [=](size_t calls) {
    std::normal_distribution<double> normal;
    batch_report report;
    report.seconds = seconds * static_cast<double>(calls) * std::exp(noise * normal(*random));
    report.cpu_seconds = report.seconds;
    return report;
  };
}

class paired_timing : public ::testing::Test {
protected:
  /// The processes' time is pretended, ours is real: a slow machine must not end what is not about its end.
  result<timing_result> compare(const std::string& older, const std::string& newer, double seconds_max = 100) {
    timing_options options;
    options.seconds_max = seconds_max;
    return compare_artifacts(bench.with, *bench.bank, *bench.bank->case_named("timed"), artifact_named(older),
                             artifact_named(newer), options, cancel);
  }
  void add(const std::string& name, double seconds, double noise, unsigned seed, fake_kernel run = matmul<float>()) {
    bench.with.add(name, {std::move(run), clock_of(seconds, noise, seed)});
  }
  fake_bench bench;
  cancel_flag cancel = std::make_shared<std::atomic<bool>>(false);
};

TEST_F(paired_timing, finds_a_kernel_twice_as_fast_in_ten_pairs) {
  add("old", 2e-3, 0.01, 1);
  add("new", 1e-3, 0.01, 2);
  auto found = compare("old", "new");
  ASSERT_TRUE(found.ok());
  auto view = found->compared.read();
  EXPECT_EQ(view->getDecision(), Decision::FASTER);
  EXPECT_NEAR(view->getRatio(), 2, 0.05);
  EXPECT_LT(view->getLow(), 2);
  EXPECT_GT(view->getHigh(), 2);
  EXPECT_EQ(view->getPairs(), 10u);
  EXPECT_EQ(view->getMode(), wire::TimingMode::ROTATING);
  EXPECT_STREQ(view->getAgainst().cStr(), "reference");
  EXPECT_NEAR(view->getBaselineMicroseconds(), 2000, 50);
  EXPECT_NEAR(view->getCandidateMicroseconds(), 1000, 25);
  EXPECT_EQ(found->fault, OutcomeClass::IMPROVED);
}

TEST_F(paired_timing, a_slower_kernel_is_slower) {
  add("old", 1e-3, 0.01, 1);
  add("new", 1.2e-3, 0.01, 2);
  EXPECT_EQ(compare("old", "new")->compared.read()->getDecision(), Decision::SLOWER);
}

TEST_F(paired_timing, identical_kernels_show_no_difference) {
  int claims = 0;
  for (unsigned trial = 0; trial < 100; ++trial) {
    add("old", 1e-3, 0.02, 2 * trial);
    add("new", 1e-3, 0.02, 2 * trial + 1);
    auto found = compare("old", "new");
    ASSERT_TRUE(found.ok());
    auto decision = found->compared.read()->getDecision();
    claims += decision == Decision::FASTER || decision == Decision::SLOWER;
  }
  EXPECT_LE(claims, 3);
}

TEST_F(paired_timing, both_run_in_either_order_and_a_process_sees_each_set_once) {
  std::vector<std::string> order;
  std::map<std::string, std::map<std::string, int>> seen;  // contents of the first input, by artifact
  bool twice = false, twice_in_batch = false;
  std::set<std::string> batch;
  auto spy = [&](const std::string& name) {
    return [&, name, right = matmul<float>()](auto in, auto out, auto size) {
      std::string contents(static_cast<const char*>(in[0]), static_cast<size_t>(size[0] * size[2]) * 4);
      ++seen[name][contents];
      twice_in_batch |= !batch.insert(contents).second;
      right(in, out, size);
    };
  };
  bench.with.at_open = [&](const std::string& name) { seen[name].clear(); };
  bench.with.after_batch = [&](const std::string& name, std::span<const uint32_t> slots) {
    if (name == "old" || name == "new") order.push_back(name);
    std::set<uint32_t> distinct(slots.begin(), slots.end());
    EXPECT_EQ(distinct.size(), slots.size()) << "each call in another slot";
    batch.clear();
    for (auto& [artifact, contents] : seen)
      for (auto& [bytes, times] : contents) twice |= times > 1;
  };
  add("old", 1e-3, 0.05, 1, spy("old"));
  add("new", 1e-3, 0.05, 2, spy("new"));
  ASSERT_TRUE(compare("old", "new").ok());

  EXPECT_FALSE(twice) << "a process could keep the answer";
  EXPECT_FALSE(twice_in_batch);
  EXPECT_EQ(seen["old"].size(), seen["new"].size());
  // three batches of warm-up each, then old new, new old, new old, old new, …
  ASSERT_GE(order.size(), 6u + 16u);
  for (size_t round = 0; round < 8; ++round) {
    bool new_first = (round + 1) / 2 % 2 == 1;
    EXPECT_EQ(order[6 + 2 * round], new_first ? "new" : "old") << round;
    EXPECT_EQ(order[7 + 2 * round], new_first ? "old" : "new") << round;
  }
}

TEST_F(paired_timing, starts_fresh_processes_when_the_input_sets_are_used_up) {
  add("old", 2e-5, 0.2, 1);
  add("new", 2e-5, 0.2, 2);
  auto found = compare("old", "new");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->compared.read()->getPairs(), 40u);
  EXPECT_GT(found->starts, 1u);
  EXPECT_EQ(bench.with.of("new").sessions, found->starts);
  EXPECT_EQ(bench.with.of("old").sessions, found->starts);
}

TEST_F(paired_timing, an_answer_kept_by_contents_is_never_asked_for_again) {
  auto kept = std::make_shared<std::map<std::string, std::vector<float>>>();
  size_t hits = 0;
  bench.with.at_open = [&](const std::string& name) {
    if (name == "new") kept->clear();
  };
  add("old", 1e-3, 0.2, 1);
  add("new", 1e-3, 0.2, 2, [&, right = matmul<float>()](auto in, auto out, auto size) {
    std::string key(static_cast<const char*>(in[0]), static_cast<size_t>(size[0] * size[2]) * 4);
    hits += kept->contains(key);
    (*kept)[key];
    right(in, out, size);
  });
  ASSERT_TRUE(compare("old", "new").ok());
  EXPECT_EQ(hits, 0u);
}

TEST_F(paired_timing, a_kernel_whose_longest_batch_ends_within_a_millisecond_is_too_short_to_rank) {
  add("old", 2e-7, 0.001, 1);
  add("new", 1e-7, 0.001, 2);
  auto found = compare("old", "new");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->compared.read()->getDecision(), Decision::UNDECIDED);
  EXPECT_NE(found->note.find("too short to rank"), std::string::npos) << found->note;
}

TEST_F(paired_timing, a_batch_takes_three_milliseconds_or_one_call) {
  std::map<std::string, std::set<size_t>> calls;
  bench.with.after_batch = [&](const std::string& name, auto slots) { calls[name].insert(slots.size()); };
  add("old", 50e-3, 0.001, 1);
  add("new", 1e-3, 0.001, 2);
  ASSERT_TRUE(compare("old", "new").ok());
  EXPECT_EQ(calls["old"], (std::set<size_t>{1}));
  EXPECT_TRUE(calls["new"].contains(3) || calls["new"].contains(4));
}

TEST_F(paired_timing, a_kernel_that_turns_wrong_after_its_warm_up_is_caught) {
  auto calls = std::make_shared<int>(0);
  add("old", 2e-3, 0.01, 1);
  add("new", 1e-3, 0.01, 2, [calls, right = matmul<float>()](auto in, auto out, auto size) {
    right(in, out, size);
    if (++*calls > 30) static_cast<float*>(out[0])[5] += 1;
  });
  auto found = compare("old", "new");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->fault, OutcomeClass::WRONG_ANSWER);
  EXPECT_EQ(found->compared.read()->getDecision(), Decision::UNDECIDED);
}

TEST_F(paired_timing, an_answer_kept_by_address_is_caught_because_contents_are_fresh) {
  auto kept = std::make_shared<std::map<const void*, std::vector<float>>>();
  add("old", 2e-3, 0.01, 1);
  add("new", 1e-6, 0.01, 2, [kept, right = matmul<float>()](auto in, auto out, auto size) {
    auto& answer = (*kept)[in[0]];
    size_t n = static_cast<size_t>(size[0] * size[1]);
    if (answer.empty()) {
      right(in, out, size);
      answer.assign(static_cast<float*>(out[0]), static_cast<float*>(out[0]) + n);
    }
    std::memcpy(out[0], answer.data(), n * sizeof(float));
  });
  EXPECT_EQ(compare("old", "new")->fault, OutcomeClass::WRONG_ANSWER);
}

TEST_F(paired_timing, a_crash_of_the_new_one_is_a_finding_and_of_the_old_one_an_error) {
  add("good", 1e-3, 0.01, 1);
  add("bad", 1e-3, 0.01, 2, [](auto...) { throw batch_report{batch_end::crashed, SIGSEGV}; });
  EXPECT_EQ(compare("good", "bad")->fault, OutcomeClass::CRASHED);
  auto found = compare("bad", "good");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.failure().code, errc::internal);
}

TEST_F(paired_timing, pairs_in_which_a_process_lost_its_cpu_are_dropped) {
  add("old", 1e-3, 0.001, 1);
  auto batches = std::make_shared<int>(0);
  bench.with.add("new", {matmul<float>(), [batches](size_t calls) {
                           batch_report report;
                           report.cpu_seconds = 1e-3 * static_cast<double>(calls);
                           report.seconds = report.cpu_seconds * (++*batches % 7 == 0 ? 5 : 1);
                           report.involuntary_switches = *batches % 7 == 0;
                           return report;
                         }});
  auto found = compare("old", "new");
  EXPECT_GE(found->disturbed_pairs, 3u);
  EXPECT_EQ(found->compared.read()->getDecision(), Decision::NO_DIFFERENCE);
}

TEST_F(paired_timing, work_outside_of_the_clock_is_no_speed_up) {
  // A tenth of the batch is done before the clock is on, which to the clock is 1.11 times as fast.
  auto clocked = [](double share, unsigned seed) {
    return [inner = clock_of(1e-3, 0.001, seed), share](size_t calls) {
      auto report = inner(calls);
      report.unclocked_seconds = 90e-6 + (1 - share) * report.seconds;
      report.seconds *= share;
      return report;
    };
  };
  bench.with.add("honest", {matmul<float>(), clocked(1, 1)});
  bench.with.add("early", {matmul<float>(), clocked(0.9, 2)});
  EXPECT_EQ(compare("honest", "early")->compared.read()->getDecision(), Decision::NO_DIFFERENCE);
  EXPECT_EQ(compare("early", "honest")->compared.read()->getDecision(), Decision::NO_DIFFERENCE);
}

TEST_F(paired_timing, of_resident_data_stays_within_half_of_l2_and_says_so) {
  // A slot of three 32 x 32 matrices is 12 KiB: five of them are within 64 KiB.
  add("old", 1e-3, 0.001, 1);
  add("new", 1e-3, 0.001, 2);
  std::set<uint32_t> used;
  bench.with.after_batch = [&](const std::string& name, std::span<const uint32_t> slots) {
    if (name == "old" || name == "new") used.insert(slots.begin(), slots.end());
    EXPECT_EQ(std::set<uint32_t>(slots.begin(), slots.end()).size(), slots.size()) << "each call in another slot";
  };
  auto timed = *bench.bank->case_named("timed");
  timing_options options;
  options.mode = wire::TimingMode::RESIDENT;
  options.l2_bytes = 128 << 10;
  auto found =
      compare_artifacts(bench.with, *bench.bank, timed, artifact_named("old"), artifact_named("new"), options, cancel);
  ASSERT_TRUE(found.ok()) << found.failure().what;
  EXPECT_EQ(found->compared.read()->getMode(), wire::TimingMode::RESIDENT);
  EXPECT_EQ(found->compared.read()->getDecision(), Decision::NO_DIFFERENCE);
  EXPECT_LE(used.size(), 5u);
  EXPECT_LE(found->footprint_bytes, 64 << 10);
  options.l2_bytes = 16 << 10;
  EXPECT_EQ(
      compare_artifacts(bench.with, *bench.bank, timed, artifact_named("old"), artifact_named("new"), options, cancel)
          .failure()
          .code,
      errc::invalid_input);
  EXPECT_NE(objection_to_resident(timed, 16 << 10).find("--timing rotating"), std::string::npos);
  EXPECT_NE(objection_to_resident(timed, 0), "") << "a machine that does not say how large it is";
}

TEST_F(paired_timing, says_what_the_cpu_counted_in_a_call_of_the_new_one) {
  add("old", 1e-3, 0.001, 1);
  EXPECT_FALSE(compare("old", "old")->counters) << "a machine without counters";
  bench.with.add("new", {matmul<float>(), [](size_t calls) {
                           auto n = static_cast<double>(calls);
                           batch_report report;
                           report.seconds = report.cpu_seconds = 1e-3 * n;
                           report.counters = batch_counters{3000 * n, 5000 * n, 70 * n};
                           return report;
                         }});
  auto counters = compare("old", "new")->counters;
  ASSERT_TRUE(counters);
  EXPECT_NEAR(counters->cycles, 3000, 1e-6);
  EXPECT_NEAR(counters->instructions, 5000, 1e-6);
  EXPECT_NEAR(counters->cache_misses, 70, 1e-6);
}

TEST_F(paired_timing, without_time_it_says_undecided) {
  add("old", 2e-3, 0.01, 1);
  add("new", 1e-3, 0.01, 2);
  auto found = compare("old", "new", 0);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->compared.read()->getDecision(), Decision::UNDECIDED);
  EXPECT_EQ(found->note, "time was up");
}

TEST_F(paired_timing, stops_between_batches_when_cancelled) {
  add("old", 1e-3, 0.5, 1);
  add("new", 1e-3, 0.5, 2);
  int batches = 0;
  bench.with.after_batch = [&](const std::string& name, auto) {
    if (name == "new" && ++batches == 5) *cancel = true;
  };
  auto found = compare("old", "new");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.failure().code, errc::cancelled);
  EXPECT_LE(batches, 6);
}

}  // namespace
}  // namespace kope
