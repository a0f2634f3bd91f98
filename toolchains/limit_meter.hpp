// Measures what one core of this device gives at most: operations, exponentials and bytes a second, each by a kernel
// that does nothing else, in the runner and under the protocol of candidates. Blocking: start-up, doctor and device
// threads, while nothing else measures on this machine; never a scheduler thread.
#pragma once

#include <memory>
#include <string>

#include "messages/graph.capnp.h"
#include "messages/parcel.hpp"
#include "messages/result.hpp"
#include "toolchains/compiler.hpp"
#include "toolchains/runner.hpp"

namespace kope {

using measured_limit = parcel<wire::MeasuredLimit>;

/// How long a limit is looked for. The best batch counts, because a disturbed one can only read low.
struct limit_effort {
  size_t batches;
  double batch_seconds;
};
/// Seventeen kernels, 40 ms each, and their starts: about 2 s with the compilation.
constexpr limit_effort quick_effort{5, 0.008};
/// 0.45 s each, some 10 s in all: on a shared machine the best of more batches has its CPU wholly to itself.
constexpr limit_effort thorough_effort{15, 0.03};

class limit_meter {
public:
  /// Compiles the kernels. Both tools outlive the meter.
  static result<limit_meter> open(compiler& with, runner& on);

  /// One resource on one CPU; `target` says how large its caches are. errc::internal when the kernel fails.
  result<measured_limit> measure(wire::Resource resource, wire::TargetRecord::Reader target, int cpu,
                                 limit_effort effort) const;

  /// All resources; the record has no moment and no toolchain yet.
  result<parcel<wire::LimitsRecord>> measure_all(wire::TargetRecord::Reader target, int cpu, bool quick) const;

private:
  limit_meter(build artifact, runner& on) : artifact_(std::move(artifact)), on_(&on) {}

  build artifact_;
  runner* on_;
};

/// Memory that a bandwidth of this level is measured in: half of the cache, so that nothing else in it matters. Where
/// its size is unknown, what caches of the last ten years hold. Of memory: all that a runner's slots may have, because
/// no timed case goes through more.
size_t footprint_of(wire::Resource resource, wire::TargetRecord::Reader target);

}  // namespace kope
