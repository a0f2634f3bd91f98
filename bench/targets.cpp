#include "bench/targets.hpp"

#include <algorithm>

#include "bench/text_table.hpp"

namespace kope::bench {

bool all_met(const std::vector<target>& targets) {
  return std::all_of(targets.begin(), targets.end(), [](const target& each) { return each.met(); });
}

std::string targets_text(const std::vector<target>& targets) {
  text_table table({"target", "wanted", "measured", "", "note"});
  for (const auto& each : targets)
    table.add({each.name, (each.at_least ? ">= " : "<= ") + short_number(each.wanted) + " " + each.unit,
               each.measured ? short_number(*each.measured) + " " + each.unit : "not measured",
               each.met() ? "met" : "missed", each.note});
  return table.text();
}

json targets_json(const std::vector<target>& targets) {
  json all = json::array();
  for (const auto& each : targets) {
    json one;
    one["name"] = each.name;
    one["at_least"] = each.at_least;
    one["wanted"] = each.wanted;
    one["unit"] = each.unit;
    one["measured"] = each.measured ? number_or_null(*each.measured) : json(nullptr);
    one["met"] = each.met();
    one["note"] = each.note;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace kope::bench
