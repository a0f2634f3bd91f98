#include "actors/coder/schedule/space_table.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>

namespace kope {
namespace {

error invalid(const space_table& table, const std::string& what) {
  return {errc::invalid_input, std::string("family ") + table.family + ": " + what};
}

std::string number(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

std::string listed(const std::vector<double>& values) {
  std::string text;
  for (double value : values) text += (text.empty() ? "" : ", ") + number(value);
  return text;
}

void set_point(const space_table& table, const std::vector<double>& values, wire::Point::Builder point) {
  check(values.size() == table.ranges.size(), "a starting point has one value for each range");
  auto parameters = point.initParameters(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    parameters[i].setMeaning(table.ranges[i].meaning);
    parameters[i].setClass(table.ranges[i].kind);
    parameters[i].setValue(values[i]);
  }
}

}  // namespace

parameter_space build_space(const space_table& table) {
  return parameter_space::build([&](wire::ParameterSpace::Builder space) {
    space.setFamily(table.family);
    auto ranges = space.initRanges(table.ranges.size());
    for (size_t i = 0; i < table.ranges.size(); ++i) {
      const auto& row = table.ranges[i];
      ranges[i].setMeaning(row.meaning);
      ranges[i].setClass(row.kind);
      ranges[i].setOrdered(row.ordered);
      auto values = ranges[i].initValues(row.values.size());
      for (size_t j = 0; j < row.values.size(); ++j) values.set(j, row.values[j]);
    }
    auto limits = space.initLimits(table.limits.size());
    for (size_t i = 0; i < table.limits.size(); ++i) {
      auto meanings = limits[i].initMeanings(table.limits[i].meanings.size());
      for (size_t j = 0; j < table.limits[i].meanings.size(); ++j) meanings.set(j, table.limits[i].meanings[j]);
      limits[i].setLimit(table.limits[i].limit);
    }
    auto points = space.initStartingPoints(table.starting_points.size());
    for (size_t i = 0; i < table.starting_points.size(); ++i) set_point(table, table.starting_points[i], points[i]);
  });
}

result<std::vector<int64_t>> read_point(const space_table& table, capnp::List<wire::Parameter>::Reader parameters) {
  std::vector<std::optional<double>> found(table.ranges.size());
  auto place_of = [&](std::string_view meaning) {
    auto at = std::find_if(table.ranges.begin(), table.ranges.end(), [&](auto& row) { return row.meaning == meaning; });
    return static_cast<size_t>(at - table.ranges.begin());
  };
  for (auto parameter : parameters) {
    std::string meaning = parameter.getMeaning();
    const size_t place = place_of(meaning);
    if (place == found.size()) return invalid(table, "it has no parameter '" + meaning + "'");
    if (found[place]) return invalid(table, "parameter '" + meaning + "' is given twice");
    const auto& values = table.ranges[place].values;
    if (std::find(values.begin(), values.end(), parameter.getValue()) == values.end())
      return invalid(table, "parameter '" + meaning + "' is " + number(parameter.getValue()) + " and must be one of " +
                                listed(values));
    found[place] = parameter.getValue();
  }
  std::vector<int64_t> point;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) return invalid(table, std::string("parameter '") + table.ranges[i].meaning + "' is missing");
    point.push_back(static_cast<int64_t>(*found[i]));
  }
  for (const auto& row : table.limits) {
    double product = 1;
    std::string names;
    for (const char* meaning : row.meanings) {
      product *= *found[place_of(meaning)];
      names += (names.empty() ? "'" : " times '") + std::string(meaning) + "'";
    }
    if (!(product <= row.limit))
      return invalid(table, names + " is " + number(product) + " and must be at most " + number(row.limit));
  }
  return point;
}

vector_machine vector_machine_of(wire::TargetRecord::Reader target) {
  vector_machine machine{4, 16};  // SSE2, which every x86-64 has; other machines have at least as much
  for (auto name : target.getIsa()) {
    if (name == "avx512f") return {16, 32};
    if (name == "avx2" || name == "avx") machine.lanes = 8;
  }
  return machine;
}

}  // namespace kope
