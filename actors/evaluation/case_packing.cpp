#include "actors/evaluation/case_packing.hpp"

#include "actors/evaluation/concrete_cases.hpp"

namespace kope {

namespace {

/// Most wrong candidates are wrong in their first cases, and the pages of the others would be touched for nothing:
/// these take about as long as another start (15 us a page).
constexpr size_t earliest_bytes_max = size_t{4} << 20;

}  // namespace

bool is_secret(const concrete_case& c) { return c.kind == wire::CaseKind::HIDDEN; }

size_t cases_of_process(std::span<const case_step> steps, bool earliest) {
  const size_t bytes_max = earliest ? earliest_bytes_max : slot_bytes_max;
  size_t count = 0, bytes = 0, slots = 0;
  for (const auto& step : steps) {
    bytes += slot_bytes(step.of.layout) * step.slots;  // whole pages: more than the runner counts
    slots += step.slots;
    bool fits = count < groups_max && slots <= calls_max && bytes <= bytes_max;
    // One case fits a session by itself, whatever it takes: the task's file was checked for that.
    if (count > 0 && (!fits || is_secret(step.of) != is_secret(steps.front().of))) break;
    ++count;
  }
  return count;
}

}  // namespace kope
