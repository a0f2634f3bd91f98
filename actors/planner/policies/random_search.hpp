// Policy `random`: the space's starting points, then uniform draws without repetition. Nothing is learned: it is what
// other policies are measured against.
#pragma once

#include <memory>

#include "actors/planner/policy.hpp"

namespace kope {

std::unique_ptr<policy> make_random_search(parameter_space space);

}  // namespace kope
