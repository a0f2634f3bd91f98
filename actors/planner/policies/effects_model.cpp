#include "actors/planner/policies/effects_model.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "actors/planner/gaussian_model.hpp"
#include "actors/planner/tried_points.hpp"

namespace kope {
namespace {

// Results before the model is asked: from one or two it would only repeat them.
constexpr size_t results_first = 3;
// Candidates of one decision; a smaller space is looked at whole. Each costs the square of the model's points.
constexpr size_t candidates_max = 768;
constexpr size_t centres = 4;  // of the best, whose neighbours are candidates in a larger space
constexpr int draws_max = 4096;
// What a failure says: somewhat below all that was measured, and nobody knows how far.
constexpr double failure_below = 0.3, failure_variance = 0.25;
// A 99 % interval is 5.15 deviations wide.
constexpr double deviations_of_interval = 5.15;
constexpr size_t incumbents_max = 64;  // comparisons in flight refer to the last few
constexpr size_t in_flight_max = 64;   // tickets

class effects_model final : public policy {
public:
  explicit effects_model(parameter_space space) : space_(std::move(space)), model_(ranges_of(*space_.read())) {
    auto view = space_.read();
    starts_ = starting_points(*view);
    heights_[""] = 0;
    if (auto all = all_points(*view, candidates_max))
      for (auto& one : *all) whole_.push_back(candidate_of(*view, std::move(one)));
  }

  std::string_view name() const override { return "effects_model"; }

  std::optional<proposal> next(random_source& random) override {
    auto view = space_.read();
    while (next_start_ < starts_.size()) {
      auto& start = starts_[next_start_++];
      if (tried_.take(start)) return taken({start, "starting_point"});
    }
    auto untried = candidates(*view, random);
    if (untried.empty()) return std::nullopt;
    if (results_.size() < results_first) return taken({untried.front()->at, "draw"});

    model_.fit(with_in_flight(*view));
    double best = best_believed();
    const candidate* chosen = nullptr;
    double most = -1;
    for (const auto* one : untried) {
      double gain = expected_improvement(model_.at(one->where), best);
      if (!(gain > most)) continue;
      most = gain;
      chosen = one;
    }
    return taken({chosen->at, "expected_improvement"});
  }

  void learn(const point& at, wire::Attempt::Reader attempt, bool incumbent) override {
    tried_.take(at);
    std::erase(in_flight_, at);
    auto promotion = attempt.getPromotion();
    auto view = space_.read();
    bool timed = promotion.getPairs() > 0 && promotion.getLow() > 0 && std::isfinite(promotion.getRatio()) &&
                 promotion.getHigh() >= promotion.getLow() && std::isfinite(promotion.getHigh());
    auto against = heights_.find(attempt.getIncumbent().cStr());
    if (timed && against != heights_.end()) {
      double height = against->second + std::log(promotion.getRatio());
      double deviation = std::log(promotion.getHigh() / promotion.getLow()) / deviations_of_interval;
      if (incumbent) remember(attempt.getHeader().getAttempt().cStr(), height);
      add({places_of(*view, at), height, deviation * deviation});
    } else if (is_failure(attempt.getOutcome())) {
      double lowest = 0;
      for (const auto& one : results_) lowest = std::min(lowest, one.height);
      add({places_of(*view, at), lowest - failure_below, failure_variance});
    }
  }

  std::string snapshot() const override {
    nlohmann::json state;
    state["starts"] = next_start_;
    state["tried"] = tried_.hashes();
    state["incumbents"] = order_;
    for (const auto& id : order_) state["heights"].push_back(heights_.at(id));
    for (const auto& one : results_) state["results"].push_back({one.at, rounded(one.height), rounded(one.variance)});
    return state.dump();
  }

  result<unit> restore(std::string_view snapshot) override {
    auto state = nlohmann::json::parse(snapshot, nullptr, false);
    try {
      if (!state.is_object()) throw std::runtime_error("not an object");
      next_start_ = std::min(state.at("starts").get<size_t>(), starts_.size());
      tried_.clear();
      for (auto& hash : state.at("tried")) tried_.take(hash.get<uint64_t>());
      heights_ = {{"", 0}};
      order_.clear();
      auto ids = state.at("incumbents").get<std::vector<std::string>>();
      for (size_t i = 0; i < ids.size() && i < incumbents_max; ++i)
        remember(ids[i], state.at("heights").at(i).get<double>());
      results_.clear();
      auto view = space_.read();
      for (auto& one : state.value("results", nlohmann::json::array())) {
        measured_point read{one.at(0).get<places>(), one.at(1).get<double>(), one.at(2).get<double>()};
        if (fits(*view, read)) add(std::move(read));
      }
      in_flight_.clear();
      return unit{};
    } catch (const std::exception& e) {
      return error{errc::invalid_input, std::string("an effects_model snapshot cannot be read: ") + e.what()};
    }
  }

private:
  static std::vector<model_range> ranges_of(wire::ParameterSpace::Reader space) {
    std::vector<model_range> all;
    for (auto range : space.getRanges()) all.push_back({range.getValues().size(), range.getOrdered()});
    return all;
  }
  static places places_of(wire::ParameterSpace::Reader space, const point& of) {
    places found;
    for (unsigned i = 0; i < of.size(); ++i) {
      auto values = space.getRanges()[i].getValues();
      unsigned place = 0;
      while (place + 1 < values.size() && values[place] != of[i]) ++place;
      found.push_back(static_cast<uint16_t>(place));
    }
    return found;
  }
  static bool fits(wire::ParameterSpace::Reader space, const measured_point& read) {
    auto ranges = space.getRanges();
    if (read.at.size() != ranges.size() || !std::isfinite(read.height) || !(read.variance >= 0)) return false;
    for (unsigned i = 0; i < read.at.size(); ++i)
      if (read.at[i] >= ranges[i].getValues().size()) return false;
    return true;
  }
  static bool is_failure(wire::OutcomeClass outcome) {
    using kind = wire::OutcomeClass;
    return outcome == kind::BUILD_FAILED || outcome == kind::WRONG_ANSWER || outcome == kind::CRASHED ||
           outcome == kind::TIMED_OUT || outcome == kind::OUT_OF_MEMORY || outcome == kind::SANDBOX_VIOLATION;
  }
  static double rounded(double value) { return std::round(value * 1e5) / 1e5; }  // keeps a snapshot short

  proposal taken(proposal chosen) {
    tried_.take(chosen.at);
    in_flight_.push_back(chosen.at);
    if (in_flight_.size() > in_flight_max) in_flight_.pop_front();
    return chosen;
  }

  void remember(const std::string& id, double height) {
    if (heights_.emplace(id, height).second) order_.push_back(id);
    if (order_.size() <= incumbents_max) return;
    heights_.erase(order_.front());
    order_.pop_front();
  }

  /// Beyond what the model reads: the lowest of the older half goes.
  void add(measured_point one) {
    results_.push_back(std::move(one));
    if (results_.size() + in_flight_max <= model_points_max) return;
    auto end = results_.begin() + static_cast<std::ptrdiff_t>(results_.size() / 2);
    results_.erase(
        std::min_element(results_.begin(), end, [](const auto& a, const auto& b) { return a.height < b.height; }));
  }

  std::vector<measured_point> with_in_flight(wire::ParameterSpace::Reader space) {
    auto all = results_;
    if (in_flight_.empty()) return all;
    model_.fit(results_);
    for (const auto& one : in_flight_) {
      auto at = places_of(space, one);
      all.push_back({at, model_.at(at).mean, 0});
    }
    return all;
  }

  /// The best of the measured points as the model sees them: a lucky measurement is not chased.
  double best_believed() const {
    double best = -std::numeric_limits<double>::infinity();
    for (const auto& one : results_) best = std::max(best, model_.at(one.at).mean);
    return best;
  }

  struct candidate {
    point at;
    places where;
    uint64_t hash = 0;
  };
  static candidate candidate_of(wire::ParameterSpace::Reader space, point at) {
    auto where = places_of(space, at);
    auto hash = point_hash(at);
    return {std::move(at), std::move(where), hash};
  }

  /// Untried points, none twice, in an order that nobody prefers. Valid until the next call.
  std::vector<const candidate*> candidates(wire::ParameterSpace::Reader space, random_source& random) {
    if (whole_.empty()) draw_candidates(space, random);
    std::vector<const candidate*> found;
    for (const auto& one : whole_.empty() ? drawn_ : whole_)
      if (!tried_.knows(one.hash)) found.push_back(&one);
    for (size_t i = found.size(); i > 1; --i) std::swap(found[i - 1], found[random.below(i)]);
    return found;
  }

  /// Of a large space: neighbours of the best, and random ones.
  void draw_candidates(wire::ParameterSpace::Reader space, random_source& random) {
    drawn_.clear();
    std::unordered_set<uint64_t> seen;
    auto keep = [&](point one) {
      auto made = candidate_of(space, std::move(one));
      if (!tried_.knows(made.hash) && seen.insert(made.hash).second) drawn_.push_back(std::move(made));
    };
    if (results_.size() >= results_first)
      for (const auto& centre : best_points(space))
        for (auto& one : neighbours(space, centre)) keep(std::move(one));
    for (int draw = 0; draw < draws_max && drawn_.size() < candidates_max; ++draw) {
      auto one = random_point(space, random);
      if (!one) break;
      keep(std::move(*one));
    }
  }

  std::vector<point> best_points(wire::ParameterSpace::Reader space) const {
    std::vector<const measured_point*> order;
    for (const auto& one : results_) order.push_back(&one);
    std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->height > b->height; });
    order.resize(std::min(order.size(), centres));
    std::vector<point> found;
    for (const auto* one : order) {
      point at;
      for (unsigned i = 0; i < one->at.size(); ++i) at.push_back(space.getRanges()[i].getValues()[one->at[i]]);
      found.push_back(std::move(at));
    }
    return found;
  }

  parameter_space space_;
  std::vector<point> starts_;
  size_t next_start_ = 0;
  tried_points tried_;
  gaussian_model model_;
  std::vector<candidate> whole_;           // of a small space; else empty
  std::vector<candidate> drawn_;           // of a large one, for this decision
  std::vector<measured_point> results_;    // oldest first
  std::deque<point> in_flight_;            // proposed and not learned
  std::map<std::string, double> heights_;  // of incumbents; "" is the reference
  std::deque<std::string> order_;          // of their ids, oldest first
};

}  // namespace

std::unique_ptr<policy> make_effects_model(parameter_space space) {
  return std::make_unique<effects_model>(std::move(space));
}

}  // namespace kope
