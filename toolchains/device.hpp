// What this machine is to the experience graph. Reads files of the kernel: start-up and doctor, never a scheduler
// thread.
#pragma once

#include <cstdint>
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

}  // namespace kope
