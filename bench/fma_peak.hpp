// The most f32 multiply-adds a second that one CPU does right now, measured by a kernel that does nothing else. No
// matrix product can take less than its operations over this. Blocking; main thread.
#pragma once

#include "bench/workplace.hpp"

namespace kope::bench {

/// Operations a second on this CPU, a multiply-add counted as two, the best of some batches of about 40 ms.
result<double> measure_fma_peak(workplace& at, int cpu);

}  // namespace kope::bench
