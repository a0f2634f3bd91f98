// Policy `effects_model`: the space's starting points, a few random draws where there are none, then the point from
// which a Gaussian model of the parameters' effects (gaussian_model.hpp) expects most. Every result teaches it at once,
// slow ones and failures included; points in flight count as if they had come out as expected, so that several tickets
// do not try the same idea.
//
// Heights are logarithms of the ratio to the reference: a comparison with an incumbent is added to the incumbent's own.
#pragma once

#include <memory>

#include "actors/planner/policy.hpp"

namespace kope {

std::unique_ptr<policy> make_effects_model(parameter_space space);

}  // namespace kope
