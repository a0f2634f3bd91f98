// Policy `local_search`: the space's starting points, then neighbours of the incumbent's point (a direction that just
// helped goes on first), and when those are used up, random points; one that is promoted becomes the next centre.
#pragma once

#include <memory>

#include "actors/planner/policy.hpp"

namespace kope {

std::unique_ptr<policy> make_local_search(parameter_space space);

}  // namespace kope
