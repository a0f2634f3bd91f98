// Recorded landscapes (tests/data/landscapes/README.md): spaces of parameters whose points were all measured once, and
// a policy's attempts answered from them, so that a claim about search is repeated over many seeds in seconds.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "actors/planner/policy.hpp"

namespace kope::testing {

struct recorded_point {
  point at;
  double first = 0, second = 0;  ///< log speed-up over a fixed point, of two passes
  double height = 0;             ///< of all passes together: what an attempt is really worth
};

struct landscape {
  std::string task, target;
  parameter_space space;
  std::vector<recorded_point> points;

  double best() const {
    double most = points.front().height;
    for (const auto& one : points) most = std::max(most, one.height);
    return most;
  }
  const recorded_point& operator[](const point& at) const {
    for (const auto& one : points)
      if (one.at == at) return one;
    throw std::runtime_error("a policy proposed a point that is not in the landscape");
  }
};

inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::string field;
  std::istringstream in(line);
  while (std::getline(in, field, '\t')) fields.push_back(field);
  return fields;
}

/// Parameters are the columns behind logratio_final; those that have one value in a landscape are left out. Words get
/// numbers by their order, and are no order to search along.
inline landscape make_landscape(const std::vector<std::string>& header,
                                const std::vector<std::vector<std::string>>& rows) {
  auto column = [&](std::string_view name) {
    return static_cast<size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  const size_t first_parameter = column("logratio_final") + 1;
  struct range {
    size_t column;
    bool ordered;
    std::vector<double> values;
    std::map<std::string, double> value_of;
  };
  std::vector<range> ranges;
  for (size_t c = first_parameter; c < header.size(); ++c) {
    range made{c, true, {}, {}};
    std::set<std::string> texts;
    for (const auto& row : rows) texts.insert(c < row.size() ? row[c] : "");
    if (texts.size() < 2) continue;
    for (const auto& text : texts)
      if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) made.ordered = false;
    double number = 0;
    for (const auto& text : texts) made.value_of[text] = made.ordered ? std::stod(text) : number++;
    for (const auto& [text, value] : made.value_of) made.values.push_back(value);
    std::sort(made.values.begin(), made.values.end());
    ranges.push_back(std::move(made));
  }
  landscape made{rows[0][column("task")], rows[0][column("target")], {}, {}};
  for (const auto& row : rows) {
    recorded_point one;
    for (const auto& range : ranges)
      one.at.push_back(range.value_of.at(range.column < row.size() ? row[range.column] : ""));
    // The file has log(time / time of the fixed point): lower is faster.
    one.first = -std::stod(row[column("logratio_pass1")]);
    one.second = -std::stod(row[column("logratio_pass2")]);
    one.height = -std::stod(row[column("logratio_final")]);
    made.points.push_back(std::move(one));
  }
  made.space = parameter_space::build([&](wire::ParameterSpace::Builder to) {
    auto list = to.initRanges(static_cast<unsigned>(ranges.size()));
    for (unsigned i = 0; i < ranges.size(); ++i) {
      list[i].setMeaning(header[ranges[i].column]);
      list[i].setOrdered(ranges[i].ordered);
      auto values = list[i].initValues(static_cast<unsigned>(ranges[i].values.size()));
      for (unsigned v = 0; v < values.size(); ++v) values.set(v, ranges[i].values[v]);
    }
    auto listed = to.initListed(static_cast<unsigned>(made.points.size()));
    for (unsigned i = 0; i < listed.size(); ++i) {
      auto parameters = listed[i].initParameters(static_cast<unsigned>(ranges.size()));
      for (unsigned r = 0; r < ranges.size(); ++r) {
        parameters[r].setMeaning(header[ranges[r].column]);
        parameters[r].setValue(made.points[i].at[r]);
      }
    }
  });
  return made;
}

inline std::vector<landscape> read_landscapes(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) throw std::runtime_error(file + " cannot be read");
  auto header = fields_of(line);
  std::map<std::pair<std::string, std::string>, std::vector<std::vector<std::string>>> rows;
  while (std::getline(in, line)) {
    auto row = fields_of(line);
    rows[{row[0], row[4]}].push_back(std::move(row));
  }
  std::vector<landscape> all;
  for (const auto& [key, of_one] : rows) all.push_back(make_landscape(header, of_one));
  return all;
}

/// An attempt as the profiler would have reported it: compared with the incumbent, promoted when a second measurement
/// agrees.
struct replayed {
  /// Until one is within 5 % of the landscape's best; attempts_max + 1 when none was. What the search is worth, without
  /// the luck of two passes that a promotion needs.
  size_t attempts = 0;
};

constexpr double interval_half_width = 0.02;

inline replayed replay(const landscape& on, policy& by, uint64_t seed, size_t attempts_max) {
  random_source random(seed);
  const double goal = on.best() + std::log(0.95);
  double incumbent_first = 0, incumbent_second = 0;  // the reference is the fixed point
  std::string incumbent;
  replayed result{attempts_max + 1};
  for (size_t number = 1; number <= attempts_max; ++number) {
    auto proposed = by.next(random);
    if (!proposed) break;
    const auto& found = on[proposed->at];
    double log_ratio = found.first - incumbent_first;
    bool promoted = log_ratio > 0.03 && found.second > incumbent_second;
    std::string id = std::to_string(number);
    auto attempt = parcel<wire::Attempt>::build([&](wire::Attempt::Builder to) {
      to.initHeader().setAttempt(id);
      to.setOutcome(promoted ? wire::OutcomeClass::IMPROVED : wire::OutcomeClass::CORRECT_NOT_FASTER);
      to.setIncumbent(incumbent);
      auto compared = to.initPromotion();
      compared.setRatio(std::exp(log_ratio));
      compared.setLow(std::exp(log_ratio - interval_half_width));
      compared.setHigh(std::exp(log_ratio + interval_half_width));
      compared.setPairs(20);
    });
    auto view = attempt.read();
    if (found.height >= goal) {
      result.attempts = number;
      break;
    }
    by.learn(proposed->at, *view, promoted);
    if (!promoted) continue;
    incumbent = id;
    incumbent_first = found.first;
    incumbent_second = found.second;
  }
  return result;
}

}  // namespace kope::testing
