#include "actors/planner/parameter_neighbourhood.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <sstream>

namespace kope {
namespace {

constexpr int draws_max = 1000;  // the contract's number: at one valid point in 200, a miss is rarer than 1 in 100

std::optional<size_t> range_of(wire::ParameterSpace::Reader space, capnp::Text::Reader meaning) {
  auto ranges = space.getRanges();
  for (size_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].getMeaning() == meaning) return i;
  return std::nullopt;
}

// Written out because the iterators of Cap'n Proto's lists are not ones that <algorithm> takes.
size_t index_of(capnp::List<double>::Reader values, double wanted) {
  unsigned i = 0;
  while (i < values.size() && values[i] != wanted) ++i;
  return i;
}

bool holds(wire::ParameterSpace::Reader space, const point& candidate, wire::ProductLimit::Reader limit) {
  double product = 1;
  for (auto meaning : limit.getMeanings()) {
    auto place = range_of(space, meaning);
    if (!place) return false;
    product *= candidate[*place];
  }
  return product <= limit.getLimit();
}

/// A listed point, whose parameters are in the order of the ranges or not.
point listed_point(wire::ParameterSpace::Reader space, wire::Point::Reader listed) {
  point found(space.getRanges().size());
  for (auto parameter : listed.getParameters())
    if (auto place = range_of(space, parameter.getMeaning())) found[*place] = parameter.getValue();
  return found;
}

size_t parameters_that_differ(const point& one, const point& other) {
  size_t count = 0;
  for (size_t i = 0; i < one.size(); ++i) count += one[i] != other[i];
  return count;
}

std::vector<point> nearest_listed(wire::ParameterSpace::Reader space, const point& of) {
  std::vector<point> nearest;
  size_t distance = of.size() + 1;
  for (auto listed : space.getListed()) {
    auto candidate = listed_point(space, listed);
    size_t differ = parameters_that_differ(candidate, of);
    if (differ == 0 || differ > distance) continue;
    if (differ < distance) nearest.clear();
    distance = differ;
    nearest.push_back(std::move(candidate));
  }
  return nearest;
}

}  // namespace

std::optional<point> point_of(wire::ParameterSpace::Reader space, capnp::List<wire::Parameter>::Reader parameters) {
  const size_t size = space.getRanges().size();
  if (parameters.size() != size) return std::nullopt;
  point found(size);
  std::vector<bool> given(size, false);
  for (auto parameter : parameters) {
    auto place = range_of(space, parameter.getMeaning());
    if (!place || given[*place]) return std::nullopt;
    given[*place] = true;
    found[*place] = parameter.getValue();
  }
  if (!is_valid(space, found)) return std::nullopt;
  return found;
}

void write_parameters(wire::ParameterSpace::Reader space, const point& from,
                      capnp::List<wire::Parameter>::Builder parameters) {
  auto ranges = space.getRanges();
  check(from.size() == ranges.size() && parameters.size() == ranges.size(), "a point has one value for each range");
  for (size_t i = 0; i < from.size(); ++i) {
    parameters[i].setMeaning(ranges[i].getMeaning());
    parameters[i].setClass(ranges[i].getClass());
    parameters[i].setValue(from[i]);
  }
}

std::string point_text(wire::ParameterSpace::Reader space, const point& of) {
  auto ranges = space.getRanges();
  check(of.size() == ranges.size(), "a point has one value for each range");
  std::ostringstream text;
  for (size_t i = 0; i < of.size(); ++i) text << (i == 0 ? "" : " ") << ranges[i].getMeaning().cStr() << "=" << of[i];
  return text.str();
}

uint64_t point_hash(const point& of) {
  uint64_t hash = of.size();
  for (double value : of) {
    // + 0.0 makes one zero of the two; SplitMix64's finisher spreads the bits of small whole numbers.
    random_source mix(hash ^ std::bit_cast<uint64_t>(value + 0.0));
    hash = mix();
  }
  return hash;
}

bool is_valid(wire::ParameterSpace::Reader space, const point& candidate) {
  auto ranges = space.getRanges();
  if (candidate.size() != ranges.size()) return false;
  for (size_t i = 0; i < candidate.size(); ++i) {
    auto values = ranges[i].getValues();
    if (index_of(values, candidate[i]) == values.size()) return false;
  }
  for (auto limit : space.getLimits())
    if (!holds(space, candidate, limit)) return false;
  if (space.getListed().size() == 0) return true;
  for (auto listed : space.getListed())
    if (listed_point(space, listed) == candidate) return true;
  return false;
}

std::vector<point> starting_points(wire::ParameterSpace::Reader space) {
  std::vector<point> points;
  for (auto start : space.getStartingPoints())
    if (auto found = point_of(space, start.getParameters())) points.push_back(std::move(*found));
  return points;
}

std::vector<point> neighbours(wire::ParameterSpace::Reader space, const point& of) {
  std::vector<point> found;
  auto ranges = space.getRanges();
  if (of.size() != ranges.size()) return found;
  if (space.getListed().size() > 0) return nearest_listed(space, of);
  auto keep = [&](size_t place, double value) {
    point candidate = of;
    candidate[place] = value;
    if (is_valid(space, candidate)) found.push_back(std::move(candidate));
  };
  for (size_t i = 0; i < of.size(); ++i) {
    auto values = ranges[i].getValues();
    if (!ranges[i].getOrdered()) {
      for (double value : values)
        if (value != of[i]) keep(i, value);
      continue;
    }
    const auto at = index_of(values, of[i]);
    if (at == values.size()) continue;  // a foreign value has no place, hence no step
    if (at > 0) keep(i, values[at - 1]);
    if (at + 1 < values.size()) keep(i, values[at + 1]);
  }
  return found;
}

std::optional<point> random_point(wire::ParameterSpace::Reader space, random_source& random) {
  auto ranges = space.getRanges();
  for (auto range : ranges)
    if (range.getValues().size() == 0) return std::nullopt;
  if (auto listed = space.getListed(); listed.size() > 0)
    return listed_point(space, listed[static_cast<unsigned>(random.below(listed.size()))]);
  for (int draw = 0; draw < draws_max; ++draw) {
    point candidate;
    candidate.reserve(ranges.size());
    for (auto range : ranges) candidate.push_back(range.getValues()[random.below(range.getValues().size())]);
    if (is_valid(space, candidate)) return candidate;
  }
  return std::nullopt;
}

std::optional<std::vector<point>> all_points(wire::ParameterSpace::Reader space, size_t at_most) {
  if (grid_size(space) > at_most) return std::nullopt;
  std::vector<point> all;
  if (space.getListed().size() > 0) {
    for (auto listed : space.getListed()) all.push_back(listed_point(space, listed));
    return all;
  }
  auto ranges = space.getRanges();
  point at;
  auto walk = [&](auto& self) -> void {
    const auto depth = static_cast<unsigned>(at.size());
    if (depth == ranges.size()) {
      if (is_valid(space, at)) all.push_back(at);
      return;
    }
    for (double value : ranges[depth].getValues()) {
      at.push_back(value);
      self(self);
      at.pop_back();
    }
  };
  if (ranges.size() > 0) walk(walk);
  return all;
}

uint64_t grid_size(wire::ParameterSpace::Reader space) {
  if (space.getListed().size() > 0) return space.getListed().size();
  uint64_t size = 1;
  for (auto range : space.getRanges())
    if (__builtin_mul_overflow(size, uint64_t{range.getValues().size()}, &size))
      return std::numeric_limits<uint64_t>::max();
  return size;
}

}  // namespace kope
