// What a compiler can be told about a source without changing what it says: flags, and pragmas before its innermost
// loops. For a task that is a user's own file in C. The same contract as an operator family (schedule/family.hpp), but
// the text comes from the task's reference. Pure functions, any thread.
//
// None of it is trusted: a promise that does not hold (iterations that do depend on each other, sums in another order)
// changes results and is found by verification.
#pragma once

#include "actors/coder/schedule/family.hpp"

namespace kope {

/// The space has the family name "compiler_choices". errc::invalid_input: the task is not in C.
result<parameter_space> compiler_choices_space(wire::Task::Reader task, wire::TargetRecord::Reader target);
result<generated_source> compiler_choices_source(wire::Task::Reader task,
                                                 capnp::List<wire::Parameter>::Reader parameters);

}  // namespace kope
