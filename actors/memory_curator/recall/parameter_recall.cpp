#include "actors/memory_curator/recall/parameter_recall.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

namespace kope {
namespace {

// Sizes that cannot be compared (another number of them) or whose exploration did not record them.
constexpr double unknown_distance = 1e6;

double distance_of(capnp::List<uint32_t>::Reader a, capnp::List<uint32_t>::Reader b) {
  if (a.size() != b.size() || a.size() == 0) return unknown_distance;
  double sum = 0;
  for (unsigned i = 0; i < a.size(); ++i) {
    if (a[i] == 0 || b[i] == 0) return unknown_distance;
    sum += std::abs(std::log2(static_cast<double>(a[i]) / b[i]));
  }
  return sum;
}

bool same_parameters(wire::Attempt::Reader a, wire::Attempt::Reader b) {
  auto x = a.getParameters(), y = b.getParameters();
  if (x.size() != y.size()) return false;
  for (unsigned i = 0; i < x.size(); ++i)
    if (x[i].getMeaning() != y[i].getMeaning() || x[i].getValue() != y[i].getValue()) return false;
  return true;
}

class recollection {
public:
  recollection(const graph_snapshot& graph, wire::ExplorationSpec::Reader spec, wire::Task::Reader of)
    : graph_(graph), spec_(spec), of_(of) {}

  result<std::vector<recalled_parameters>> gather() {
    auto rows = graph_.explorations(explorations_recalled_max);
    if (!rows) return rows.failure();
    std::vector<recalled_parameters> found;
    for (auto& row : *rows) {
      auto view = row.read();
      auto kin = is_kin(*view);
      if (!kin) return kin.failure();
      if (!*kin) continue;
      auto id = attempt_id::parse(std::string_view(view->getIncumbent().cStr())).value_or(attempt_id{});
      double speedup = view->getSpeedup().getPairs() > 0 ? view->getSpeedup().getRatio() : 0;
      found.push_back({id, {}, distance_of(view->getSpec().getSizes(), spec_.getSizes()), speedup});
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.speedup > b.speedup;
    });
    return distinct(std::move(found));
  }

private:
  /// Same target, an incumbent, and a task of the same family and element type.
  result<bool> is_kin(wire::Exploration::Reader row) {
    auto spec = row.getSpec();
    if (row.getIncumbent().size() == 0 || spec.getTargetKey() != spec_.getTargetKey()) return false;
    if (spec.getTaskKey() == spec_.getTaskKey()) return true;
    std::string key = spec.getTaskKey().cStr();
    auto known = kin_.find(key);
    if (known != kin_.end()) return known->second;
    auto record = graph_.task(key);
    if (!record) return record.failure();
    bool kin = false;
    if (*record) {
      auto view = (*record)->read();
      kin = of_.getFamily().size() > 0 && view->getFamily() == of_.getFamily() &&
            view->getElementType() == of_.getElementType();
    }
    kin_[key] = kin;
    return kin;
  }

  result<std::vector<recalled_parameters>> distinct(std::vector<recalled_parameters> ordered) {
    std::vector<recalled_parameters> chosen;
    for (auto& one : ordered) {
      if (chosen.size() >= recalled_max) break;
      auto attempt = graph_.attempt(one.from);
      if (!attempt) return attempt.failure();
      if (!*attempt) continue;
      auto view = (*attempt)->read();
      if (view->getParameters().size() == 0 || view->getOutcome() == wire::OutcomeClass::SUSPECT) continue;
      bool fresh = std::none_of(chosen.begin(), chosen.end(), [&](const recalled_parameters& other) {
        auto there = other.attempt.read();
        return same_parameters(*view, *there);
      });
      if (!fresh) continue;
      one.attempt = **attempt;
      chosen.push_back(std::move(one));
    }
    return chosen;
  }

  const graph_snapshot& graph_;
  wire::ExplorationSpec::Reader spec_;
  wire::Task::Reader of_;
  std::map<std::string, bool> kin_;  // task keys seen
};

}  // namespace

result<std::vector<recalled_parameters>> recall_parameters(const graph_snapshot& graph,
                                                           wire::ExplorationSpec::Reader spec, wire::Task::Reader of) {
  return recollection(graph, spec, of).gather();
}

}  // namespace kope
