// Each defence, with the shipped source that shows what it is good for: on, the source is judged as its header says;
// off, it gets through. A row that fails with the defence off means that nothing needs the defence.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "tests/adversarial/switched_bench.hpp"

namespace kope {
namespace {

using namespace testing;
using wire::OutcomeClass;

/// A source that gets through has to be measured as faster, which a busy machine cannot always say at once.
constexpr int tries_max = 4;

struct row {
  const char* defence;  // a second row of one defence has the source's name behind a slash
  const char* source;
  std::function<void(switches&)> turn_off;
};

std::vector<row> rows() {
  return {
      {"fresh_inputs", "hostile/keeps_by_pointer", [](switches& s) { s.active.fresh_inputs = false; }},
      {"distinct_slots", "hostile/skips_the_same_output", [](switches& s) { s.active.distinct_slots = false; }},
      {"poison", "hostile/leaves_zeros_alone", [](switches& s) { s.active.poison = false; }},
      {"full_comparison", "hostile/half_of_the_rows", [](switches& s) { s.active.full_comparison = false; }},
      {"random_sample", "hostile/right_when_it_is_likely_to_be_checked",
       [](switches& s) { s.active.random_sample = false; }},
      {"unclocked_work", "hostile/works_before_the_clock", [](switches& s) { s.charge_early_work = false; }},
      {"unclocked_work/a_little", "hostile/works_a_little_before_the_clock",
       [](switches& s) { s.charge_early_work = false; }},
      // What a process does while it is not frozen costs it CPU time, which counts as well: both have to be off.
      {"freeze", "hostile/a_thread_that_works",
       [](switches& s) {
         s.freeze = false;
         s.charge_early_work = false;
       }},
      {"guard_pages", "hostile/stores_past_the_end", [](switches& s) { s.active.guard_pages = false; }},
      {"sealed_inputs", "hostile/scratch_in_an_input", [](switches& s) { s.sealed_inputs = false; }},
      {"shared_process", "hostile/right_for_its_first_shape", [](switches& s) { s.active.shared_process = false; }},
      {"hidden_cases", "hostile/without_the_maximum", [](switches& s) { s.active.hidden_cases = false; }},
      {"drawn_shape", "hostile/knows_the_listed_shapes", [](switches& s) { s.active.drawn_shape = false; }},
      {"tolerance", "hostile/a_rough_exponential", [](switches& s) { s.active.tolerance = false; }},
      {"special_values", "hostile/no_nan_ever", [](switches& s) { s.active.special_values = false; }},
      {"all_zero_rule", "hostile/zeros_where_sums_vanish", [](switches& s) { s.active.all_zero_rule = false; }},
  };
}

std::ostream& operator<<(std::ostream& to, const row& of) { return to << of.defence; }

class defence : public ::testing::TestWithParam<row> {
protected:
  static void SetUpTestSuite() { bench = new switched_bench; }
  static void TearDownTestSuite() {
    delete bench;
    bench = nullptr;
  }
  static switched_bench* bench;
};
switched_bench* defence::bench = nullptr;

/// The others with KOPE_TEST_ALL=1: all of them together take about a minute on a quiet machine.
bool is_among_the_quick_ones(std::string_view name) {
  for (std::string_view quick : {"fresh_inputs", "full_comparison", "unclocked_work", "guard_pages", "sealed_inputs",
                                 "drawn_shape", "special_values"})
    if (quick == name) return true;
  return false;
}

TEST_P(defence, catches_a_source_that_gets_through_without_it) {
  if (!getenv("KOPE_TEST_ALL") && !is_among_the_quick_ones(GetParam().defence)) GTEST_SKIP() << "KOPE_TEST_ALL=1";
  const auto& source = bench->source(GetParam().source);
  auto caught = bench->judge(source, {});
  bool as_its_header_says =
      std::find(source.outcomes.begin(), source.outcomes.end(), caught.outcome) != source.outcomes.end();
  EXPECT_TRUE(as_its_header_says) << enum_name(caught.outcome) << ": " << caught.detail;
  std::string_view defence = GetParam().defence;
  defence = defence.substr(0, defence.find('/'));
  auto named = std::find(source.caught_by.begin(), source.caught_by.end(), defence);
  EXPECT_NE(named, source.caught_by.end()) << "its header names the defence";

  switches off;
  GetParam().turn_off(off);
  judged_source through;
  for (int tries = 0; tries < tries_max && through.outcome != OutcomeClass::IMPROVED; ++tries)
    through = bench->judge(source, off);
  // Spoiling what the reference is to read is harm enough: then the comparison fails, and not the candidate.
  bool harm = through.outcome == OutcomeClass::IMPROVED ||
              (!off.sealed_inputs && through.outcome == OutcomeClass::HARNESS_ERROR);
  EXPECT_TRUE(harm) << enum_name(through.outcome) << ": " << through.detail;
  std::printf("%s: %s with it, %.1fx without\n", GetParam().defence, enum_name(caught.outcome).c_str(), through.ratio);
}

INSTANTIATE_TEST_SUITE_P(each, defence, ::testing::ValuesIn(rows()), [](const auto& info) {
  std::string name = info.param.defence;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

TEST(shared_process, sources_that_it_invites_are_judged_as_their_headers_say) {
  switched_bench bench;
  for (const char* name :
       {"hostile/answers_one_call_late", "hostile/reads_an_earlier_case", "hostile/starves_until_it_is_alone"}) {
    const auto& source = bench.source(name);
    auto found = bench.judge(source, {});
    EXPECT_NE(std::find(source.outcomes.begin(), source.outcomes.end(), found.outcome), source.outcomes.end())
        << name << ": " << enum_name(found.outcome) << ": " << found.detail;
  }
}

}  // namespace
}  // namespace kope
