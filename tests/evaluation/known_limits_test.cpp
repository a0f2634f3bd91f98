#include "actors/evaluation/known_limits.hpp"

#include <gtest/gtest.h>

#include <map>

namespace kope {
namespace {

using wire::Resource;

struct rate {
  double per_second = 0, error = 0, footprint = 0;
};

limits_record record_of(const std::map<Resource, rate>& rates) {
  return limits_record::build([&](wire::LimitsRecord::Builder made) {
    auto list = made.initLimits(static_cast<unsigned>(rates.size()));
    unsigned i = 0;
    for (auto& [resource, of] : rates) {
      list[i].setResource(resource);
      list[i].setPerSecond(of.per_second);
      list[i].setError(of.error);
      list[i++].setFootprintBytes(of.footprint);
    }
  });
}

constexpr double kib = 1024, mib = 1024 * kib;

/// Round numbers: 100 G operations, 10 G exponentials; 400, 200, 100 and 20 GB/s.
std::map<Resource, rate> round_rates() {
  return {{Resource::F32_MULTIPLY_ADD_PEAK, {100e9}},
          {Resource::F64_MULTIPLY_ADD_PEAK, {50e9}},
          {Resource::F32_EXPONENTIAL_RATE, {10e9}},
          {Resource::I32_ADD_PEAK, {80e9}},
          {Resource::L1_READ_BANDWIDTH, {400e9, 0, 16 * kib}},
          {Resource::L2_READ_BANDWIDTH, {200e9, 0, 512 * kib}},
          {Resource::L3_READ_BANDWIDTH, {100e9, 0, 8 * mib}},
          {Resource::MEMORY_READ_BANDWIDTH, {20e9, 0, 60 * mib}},
          {Resource::MEMORY_COPY_BANDWIDTH, {15e9, 0, 60 * mib}}};
}

least_time least(const case_work& work, double footprint, const std::map<Resource, rate>& rates = round_rates()) {
  return least_time_of(work, footprint, {record_of(rates)});
}

TEST(least_time, is_that_of_the_resource_that_takes_longest) {
  auto product = least({.bytes = 1e6, .flops = 1e9}, 16 * kib);
  EXPECT_NEAR(product.seconds, 0.01, 1e-12);
  EXPECT_EQ(product.limited_by, Resource::F32_MULTIPLY_ADD_PEAK);
  EXPECT_EQ(product.rate, 100e9);
  auto sum = least({.bytes = 1e9, .flops = 1e8}, 1000 * mib);
  EXPECT_NEAR(sum.seconds, 0.05, 1e-12);
  EXPECT_EQ(sum.limited_by, Resource::MEMORY_READ_BANDWIDTH);
  auto softmax = least({.bytes = 1e6, .flops = 3e6, .transcendentals = 1e6}, 16 * kib);
  EXPECT_NEAR(softmax.seconds, 1e-4, 1e-12);
  EXPECT_EQ(softmax.limited_by, Resource::F32_EXPONENTIAL_RATE);
}

TEST(least_time, asks_for_the_limits_of_the_tasks_own_type) {
  EXPECT_EQ(least({.type = wire::ElementType::F64, .flops = 1e9}, 0).limited_by, Resource::F64_MULTIPLY_ADD_PEAK);
  EXPECT_EQ(least({.type = wire::ElementType::I32, .flops = 1e9}, 0).limited_by, Resource::I32_ADD_PEAK);
  EXPECT_EQ(least({.type = wire::ElementType::I64, .flops = 1e9}, 0).seconds, 0) << "nobody measured it";
}

TEST(least_time, takes_the_fastest_memory_that_could_hold_what_the_calls_go_through) {
  auto level = [](double footprint) { return least({.bytes = 1e9}, footprint).limited_by; };
  EXPECT_EQ(level(1), Resource::L1_READ_BANDWIDTH) << "below the smallest footprint there is nothing faster";
  EXPECT_EQ(level(511 * kib), Resource::L1_READ_BANDWIDTH) << "between two levels the faster one counts";
  EXPECT_EQ(level(512 * kib), Resource::L2_READ_BANDWIDTH);
  EXPECT_EQ(level(59 * mib), Resource::L3_READ_BANDWIDTH);
  EXPECT_EQ(level(60 * mib), Resource::MEMORY_READ_BANDWIDTH);
}

TEST(least_time, takes_the_quicker_of_reading_and_copying) {
  auto rates = round_rates();
  rates[Resource::MEMORY_COPY_BANDWIDTH].per_second = 25e9;
  EXPECT_EQ(least({.bytes = 1e9}, 60 * mib, rates).limited_by, Resource::MEMORY_COPY_BANDWIDTH);
}

TEST(least_time, is_unknown_without_limits_or_without_work) {
  EXPECT_EQ(least_time_of({.bytes = 1e9, .flops = 1e9}, 1e6, {}).seconds, 0);
  EXPECT_EQ(least_time_of({.bytes = 1e9, .flops = 1e9}, 1e6, {}).surely_seconds, 0) << "so nothing can be suspect";
  EXPECT_EQ(least({}, 1e6).limited_by, Resource::UNKNOWN);
}

TEST(least_time, is_surely_too_short_only_beyond_the_error_of_the_limit) {
  EXPECT_NEAR(least({.flops = 1e9}, 0).surely_seconds, 0.01 / 1.05, 1e-9) << "5 % whatever the batches say";
  auto rates = round_rates();
  rates[Resource::F32_MULTIPLY_ADD_PEAK].error = 0.25;
  EXPECT_NEAR(least({.flops = 1e9}, 0, rates).surely_seconds, 0.01 / 1.25, 1e-9);
}

TEST(least_time, lets_additions_beside_multiply_adds_and_shorter_polynomials_pass) {
  auto rates = round_rates();
  rates[Resource::F32_MIXED_PEAK].per_second = 150e9;
  auto found = least({.flops = 1e9}, 0, rates);
  EXPECT_NEAR(found.seconds, 0.01, 1e-12) << "the fraction is that of the multiply-add peak";
  EXPECT_NEAR(found.surely_seconds, 0.01 / 1.5 / 1.05, 1e-9);
  EXPECT_NEAR(least({.transcendentals = 1e9}, 0).surely_seconds, 0.1 / 2 / 1.05, 1e-9);
}

TEST(least_time, takes_the_highest_rate_of_the_newest_records) {
  auto with_peak = [](double peak) { return record_of({{Resource::F32_MULTIPLY_ADD_PEAK, {peak}}}); };
  EXPECT_NEAR(least_time_of({.flops = 1e9}, 0, {with_peak(50e9), with_peak(100e9), with_peak(80e9)}).seconds, 0.01,
              1e-12)
      << "a measurement that was disturbed reads low";
  std::vector<limits_record> many(limit_records_used, with_peak(50e9));
  many.push_back(with_peak(100e9));
  EXPECT_NEAR(least_time_of({.flops = 1e9}, 0, many).seconds, 0.02, 1e-12) << "older ones do not count";
}

TEST(known_limits, measure_again_at_most_once_a_minute_and_keep_what_came_for_the_graph) {
  int measured = 0;
  known_limits limits({record_of(round_rates())}, [&]() -> result<limits_record> {
    ++measured;
    return record_of({{Resource::F32_MULTIPLY_ADD_PEAK, {200e9}}});
  });
  known_limits::clock::time_point now{};
  EXPECT_TRUE(limits.take_fresh().empty());
  limits.measure_again(now);
  limits.measure_again(now + std::chrono::seconds(59));
  EXPECT_EQ(measured, 1);
  EXPECT_NEAR(limits.of({.flops = 1e9}, 0).seconds, 0.005, 1e-12);
  limits.measure_again(now + std::chrono::seconds(60));
  EXPECT_EQ(measured, 2);
  EXPECT_EQ(limits.take_fresh().size(), 2u);
  EXPECT_TRUE(limits.take_fresh().empty());
}

TEST(known_limits, stay_as_they_were_when_measuring_fails) {
  known_limits limits({record_of(round_rates())}, []() -> result<limits_record> {
    return error{errc::internal, "no compiler"};
  });
  limits.measure_again();
  EXPECT_NEAR(limits.of({.flops = 1e9}, 0).seconds, 0.01, 1e-12);
  EXPECT_TRUE(limits.take_fresh().empty());
}

TEST(known_limits, say_how_impossible_a_time_is) {
  auto text = suspicion_text(1e-3, {.seconds = 3e-3, .limited_by = Resource::F32_MULTIPLY_ADD_PEAK, .rate = 225e9});
  EXPECT_EQ(text, "1000 us is 3 times as fast as the f32 multiply add peak (225 G a second, measured) allows");
}

}  // namespace
}  // namespace kope
