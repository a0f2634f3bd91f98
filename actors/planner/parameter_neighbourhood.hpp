// Points of a parameter space and their neighbours: what the number policies walk on. Messages in, values out; pure,
// any thread. A point has one value for each range of the space, in the space's order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/planner/random_source.hpp"
#include "messages/parcel.hpp"
#include "messages/plan.capnp.h"

namespace kope {

using parameter_space = parcel<wire::ParameterSpace>;
using point = std::vector<double>;

/// The point that a list of parameters names; nothing when one is missing, unknown or outside the space.
std::optional<point> point_of(wire::ParameterSpace::Reader space, capnp::List<wire::Parameter>::Reader parameters);
/// Writes a point as parameters with meaning and class.
void write_parameters(wire::ParameterSpace::Reader space, const point& from,
                      capnp::List<wire::Parameter>::Builder parameters);
/// "register_rows=6 register_vectors=2 …", for people.
std::string point_text(wire::ParameterSpace::Reader space, const point& of);
/// A stable hash for sets of tried points.
uint64_t point_hash(const point& of);

/// Every value is one of its range's, every product limit holds, and where the space lists its points it is one of
/// them.
bool is_valid(wire::ParameterSpace::Reader space, const point& candidate);

/// The space's starting points, in its order.
std::vector<point> starting_points(wire::ParameterSpace::Reader space);

/// Valid points that differ in one parameter: one place up or down an ordered range, any other value of an unordered
/// one. In a fixed order: by range, lower before higher. Where the space lists its points: the nearest of them, by how
/// many parameters differ, in the list's order.
std::vector<point> neighbours(wire::ParameterSpace::Reader space, const point& of);

/// Uniform over the grid, redrawn until valid; nothing after 1000 draws (a space with hardly any valid point).
std::optional<point> random_point(wire::ParameterSpace::Reader space, random_source& random);

/// All valid points, in the order of the grid or of the list; nothing when the grid has more than `at_most`.
std::optional<std::vector<point>> all_points(wire::ParameterSpace::Reader space, size_t at_most);

/// Number of grid points, valid or not; of listed points where there are any. Saturates.
uint64_t grid_size(wire::ParameterSpace::Reader space);

}  // namespace kope
