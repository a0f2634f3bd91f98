// Policy `local_search`: the space's starting points, then neighbours of the centre (a direction that just helped goes
// on first), then points two or three changes away from it, at last random ones.
//
// The centre is where the measured ratios are best, not only what was promoted: gains of 1 or 2 % are below what one
// comparison may claim, but several of them together are not, and whoever is promoted is measured against the incumbent
// anyway.
#pragma once

#include <memory>

#include "actors/planner/policy.hpp"

namespace kope {

std::unique_ptr<policy> make_local_search(parameter_space space);

}  // namespace kope
