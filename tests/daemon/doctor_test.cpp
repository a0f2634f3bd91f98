// `kope doctor` as a user types it.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace kope::testing {
namespace {

std::map<std::string, nlohmann::json> findings_of(const ended_program& ended) {
  std::map<std::string, nlohmann::json> found;
  auto document = nlohmann::json::parse(ended.out, nullptr, false);
  EXPECT_TRUE(document.is_array()) << ended.out << ended.err;
  if (!document.is_array()) return found;
  for (auto& each : document) found[each["what"]] = each;
  return found;
}

TEST(doctor, measures_every_level_and_dates_it_and_shows_it_the_next_time) {
  program_home home;
  auto before = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  auto measured = kope(home, {"doctor", "--measure", "--json"});
  EXPECT_EQ(measured.code, 0) << measured.out << measured.err;
  auto limits = findings_of(measured)["limits"];
  ASSERT_TRUE(limits.is_object() && limits.contains("details")) << measured.out;
  auto details = limits["details"];
  double date = details["measured_unix_seconds"];
  EXPECT_GE(date, before);
  EXPECT_LE(date, before + 600);
  std::map<std::string, nlohmann::json> rates;
  for (auto& each : details["limits"]) rates[each["resource"]] = each;
  for (std::string level : {"l1", "l2", "l3", "memory"})
    for (std::string way : {"read", "copy"}) {
      auto one = rates[level + "_" + way + "_bandwidth"];
      ASSERT_TRUE(one.is_object()) << level << ' ' << way << " is missing: " << details;
      EXPECT_GT(one["per_second"], 1e9) << one;
      EXPECT_GT(one["footprint_bytes"], 0) << one;
      EXPECT_NE(limits["text"].get<std::string>().find(level + " " + way + " bandwidth"), std::string::npos);
    }
  for (auto peak : {"f32_multiply_add_peak", "f64_multiply_add_peak", "f32_exponential_rate"})
    EXPECT_GT(rates[peak]["per_second"], 1e8) << peak;

  auto shown = findings_of(kope(home, {"doctor", "--json"}))["limits"];
  EXPECT_EQ(shown["details"], details) << "it was kept";
  auto plain = kope(home, {"doctor"});
  EXPECT_NE(plain.out.find("measured 20"), std::string::npos) << plain.out;
  EXPECT_NE(plain.out.find("thoroughly"), std::string::npos) << plain.out;
}

TEST(doctor, says_in_one_line_what_the_cpu_can_count_or_why_it_cannot) {
  program_home home;
  auto counters = findings_of(kope(home, {"doctor", "--json"}))["counters"];
  ASSERT_TRUE(counters.is_object());
  std::string text = counters["text"];
  EXPECT_TRUE(text.starts_with("none: ") || text.starts_with("cycles, ")) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(doctor, says_that_limits_are_not_on_record_and_how_to_measure_them) {
  program_home home;
  auto ended = kope(home, {"doctor"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("limits: not on record; `kope doctor --measure` measures them"), std::string::npos)
      << ended.out;
}

}  // namespace
}  // namespace kope::testing
