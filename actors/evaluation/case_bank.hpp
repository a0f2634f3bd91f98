// The cases of one task with what is right for them: input sets by seed and the oracle's outputs, shared by
// verification and timing. Expected values never enter a candidate's process. Thread-safe; device threads only, since
// computing a set runs the oracle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/evaluation/defences.hpp"
#include "messages/parcel.hpp"
#include "messages/result.hpp"
#include "messages/task.capnp.h"
#include "messages/work.capnp.h"
#include "toolchains/device_thread.hpp"
#include "toolchains/runner.hpp"

namespace kope {

using task = parcel<wire::Task>;

/// One case with concrete sizes: from the task file, or drawn.
struct concrete_case {
  std::string name;
  wire::CaseKind kind = wire::CaseKind::VISIBLE;
  std::vector<int64_t> sizes;
  std::vector<uint64_t> elements;  ///< of each tensor, in prototype order
  slot_layout layout;              ///< with one slot
  size_t index = 0;                ///< in the task's list; drawn cases come after
};

/// Output of the oracle for one (case, set), and how far a right answer may be from it, element by element.
struct expected_output {
  std::vector<double> values;
  double tolerance_relative = 0;  ///< of the expected value's magnitude
  double tolerance_absolute = 0;  ///< from the magnitude of the whole output and the task type's rounding
  bool zeros_may_pass = false;    ///< the rule about an output of zeros is off (defences.hpp)
  bool nan_may_pass = false;      ///< so is the one about values without a distance
};

class case_bank {
public:
  /// `oracle` and `baseline`: the reference compiled twice (kernel_shim.hpp). `seed` makes input sets and drawn shapes
  /// that no candidate can know. `cpus`: where the oracle runs.
  case_bank(task of, std::string oracle_artifact, std::string baseline_artifact, runner& with, uint64_t seed,
            std::vector<int> cpus, const defences& active = {});
  ~case_bank();

  const task& of() const;
  const defences& active() const;     ///< all of them, except in tests
  std::string_view baseline() const;  ///< artifact bytes of the reference in the task's type

  std::vector<concrete_case> listed_cases() const;
  result<concrete_case> case_named(std::string_view name) const;
  /// A shape from the task's drawn ranges, in no list.
  concrete_case drawn_case(uint64_t draw) const;

  /// Writes the inputs of set `set` of the case into a slot. Cheap, never runs anything.
  void fill_inputs(const concrete_case& c, uint64_t set, runner_session& session, size_t slot) const;

  /// Expected outputs of one set, one for each output tensor; computed on first use, then kept up to a bound.
  result<std::shared_ptr<const std::vector<expected_output>>> expected(const concrete_case& c, uint64_t set);

  /// Sets of the timed case whose expected outputs are ready: at least 32, or as many as 5 s gave (at least 8).
  result<size_t> prepare_timed_pool(const concrete_case& c, const cancel_flag& cancel);

  /// Seconds that the baseline takes for one call of this case: what a candidate's deadline is derived from.
  result<double> baseline_seconds(const concrete_case& c);
  /// The same where it is known already; never runs anything.
  std::optional<double> known_baseline_seconds(const concrete_case& c) const;

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace kope
