// What this machine is to the experience graph, and which CPU is good for timing right now. Blocking: start-up, doctor
// and device threads, never a scheduler thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "messages/graph.capnp.h"
#include "messages/parcel.hpp"
#include "messages/result.hpp"

namespace kope {

/// Vendor, family and model, vector extensions, caches, cores and threads used, timing mode, and their hash as key. No
/// clock, no host name: the same kind of machine is the same target. errc::io when /proc/cpuinfo cannot be read.
result<parcel<wire::TargetRecord>> detect_target(uint32_t threads, wire::TimingMode mode = wire::TimingMode::ROTATING);

/// CPUs that this program may run on (its affinity mask, so a container's share), ascending.
std::vector<int> usable_cpus();

/// The CPU that does a fixed piece of L2-bound work fastest at this moment, in about 10 ms: on shared machines two CPUs
/// can differ by a factor of two from one minute to the next. Runs on a thread of its own, whose affinity moves; the
/// caller's stays. errc::invalid_input when none of `cpus` can be used.
result<int> probe_best_cpu(std::span<const int> cpus);

}  // namespace kope
