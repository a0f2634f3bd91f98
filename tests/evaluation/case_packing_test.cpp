#include "actors/evaluation/case_packing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "actors/evaluation/concrete_cases.hpp"

namespace kope {
namespace {

constexpr size_t mebibyte = size_t{1} << 20;

case_step step_of(size_t bytes, wire::CaseKind kind = wire::CaseKind::VISIBLE, uint64_t slots = 1) {
  case_step step;
  step.of.kind = kind;
  step.of.layout.input_bytes = {bytes};
  step.of.layout.output_bytes = {1};
  step.slots = slots;
  return step;
}

TEST(case_packing, small_cases_share_a_process) {
  std::vector<case_step> steps(20, step_of(1000, wire::CaseKind::VISIBLE, 2));
  EXPECT_EQ(cases_of_process(steps, true), 20u);
  EXPECT_EQ(cases_of_process(steps, false), 20u);
}

TEST(case_packing, a_told_case_and_a_secret_one_never_share_a_process) {
  using wire::CaseKind;
  std::vector<case_step> steps = {step_of(10), step_of(10, CaseKind::TIMED), step_of(10, CaseKind::HIDDEN),
                                  step_of(10, CaseKind::HIDDEN), step_of(10)};
  EXPECT_EQ(cases_of_process(steps, true), 2u);
  EXPECT_EQ(cases_of_process(std::span(steps).subspan(2), false), 2u);
  EXPECT_EQ(cases_of_process(std::span(steps).subspan(4), false), 1u);
}

TEST(case_packing, the_process_that_a_candidate_meets_first_has_few_pages) {
  std::vector<case_step> steps(4, step_of(3 * mebibyte));
  EXPECT_EQ(cases_of_process(steps, true), 1u);
  EXPECT_EQ(cases_of_process(steps, false), 4u);
}

TEST(case_packing, a_case_that_fills_a_session_has_it_for_itself) {
  std::vector<case_step> steps(2, step_of(slot_bytes_max - 1));
  EXPECT_EQ(cases_of_process(steps, true), 1u);
  EXPECT_EQ(cases_of_process(steps, false), 1u) << "rounded to pages it is more than a session has";
}

TEST(case_packing, a_process_stays_within_what_a_session_may_have) {
  rc::check([](const std::vector<std::pair<uint32_t, bool>>& drawn, bool earliest) {
    std::vector<case_step> steps;
    for (auto [size, secret] : drawn)
      steps.push_back(
          step_of(size % (8 * mebibyte), secret ? wire::CaseKind::HIDDEN : wire::CaseKind::VISIBLE, 1 + size % 2));
    size_t count = cases_of_process(steps, earliest);
    RC_ASSERT(count <= std::min(steps.size(), groups_max));
    RC_ASSERT(count > 0 || steps.empty());
    size_t bytes = 0;
    for (size_t i = 0; i < count; ++i) {
      bytes += slot_bytes(steps[i].of.layout) * steps[i].slots;
      RC_ASSERT(is_secret(steps[i].of) == is_secret(steps[0].of));
    }
    RC_ASSERT(bytes <= slot_bytes_max);
  });
}

}  // namespace
}  // namespace kope
