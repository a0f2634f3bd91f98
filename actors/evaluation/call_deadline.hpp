// How long a candidate's calls may take before it counts as hanging. Pure, any thread.
#pragma once

#include <algorithm>
#include <cstddef>

namespace kope {

/// Ten times the reference: a candidate that slow is of no use, whatever its result. At least 1 s, because first calls
/// touch fresh pages (6 to 17 us each where memory is virtualised) and another process may hold the CPU; an endless
/// loop so ends within about a second in the first small case. At most 10 s, except where the reference itself needs
/// more than a third of that.
inline double call_deadline_seconds(double baseline_seconds, size_t calls) {
  double once = baseline_seconds * static_cast<double>(calls);
  return std::max(std::clamp(10 * once, 1.0, 10.0), 3 * once);
}

}  // namespace kope
