// Which cases of a verification follow each other in one process. To start a process takes 10 ms, longer than most
// cases do; what may share one is bounded by its memory and by what a process must not be told. Pure, any thread.
#pragma once

#include <cstdint>
#include <span>

#include "actors/evaluation/case_bank.hpp"

namespace kope {

/// One case as verification shows it to a candidate.
struct case_step {
  concrete_case of;
  placement place = placement::end_aligned;
  uint64_t slots = 1;      ///< input sets that have room
  uint64_t first_set = 0;  ///< the case's input set in the first slot
};

/// A case that a coder is told nothing about.
bool is_secret(const concrete_case& c);

/// How many of `steps`, from the first on, one process gets: as many as fit a session. Told cases and secret ones never
/// share a process: the process knows the sizes of all its slots from the start, and what it prints before it dies in a
/// told case is shown to whoever writes the next candidate. `earliest`: the process that a candidate meets first, whose
/// memory is kept small.
size_t cases_of_process(std::span<const case_step> steps, bool earliest);

}  // namespace kope
