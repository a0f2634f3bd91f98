// Contract of an operator family: C++ from (task, parameters). One file pair a family in families/, one line in
// families.cpp. A family knows no size of any case: what it generates is right for every size, tails included, and
// only parameters decide how fast. Pure functions, any thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "messages/graph.capnp.h"
#include "messages/parcel.hpp"
#include "messages/plan.capnp.h"
#include "messages/result.hpp"
#include "messages/task.capnp.h"

namespace kope {

using task = parcel<wire::Task>;
using parameter_space = parcel<wire::ParameterSpace>;

struct generated_source {
  std::string source;              ///< readable, names the family and the parameters in its first comment
  std::vector<std::string> flags;  ///< compiler flags that belong to it
};

class family {
public:
  virtual ~family() = default;
  virtual std::string_view name() const = 0;

  /// errc::invalid_input says why a task is not of this family: its prototype, or an attribute that is missing, unknown
  /// or wrong. Asked before anything else.
  virtual result<unit> accepts(wire::Task::Reader task) const = 0;

  /// Ranges, limits and two to four starting points for a task on a target (vector widths that its ISA has). The
  /// starting points are valid points of the space.
  virtual parameter_space space(wire::Task::Reader task, wire::TargetRecord::Reader target) const = 0;

  /// errc::invalid_input names the parameter that is missing, unknown or out of range, or is that of accepts().
  virtual result<generated_source> generate(wire::Task::Reader task,
                                            capnp::List<wire::Parameter>::Reader parameters) const = 0;
};

/// Every family, by explicit calls; the one place that knows them all.
const std::vector<std::unique_ptr<family>>& families();
/// nullptr when there is none of this name.
const family* find_family(std::string_view name);
/// The family that a task names, which accepts it. errc::invalid_input is one sentence for people: no family is named,
/// there is none of that name (and which there are), or why it does not take this task.
result<const family*> family_of(wire::Task::Reader task);

}  // namespace kope
