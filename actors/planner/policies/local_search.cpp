#include "actors/planner/policies/local_search.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "actors/planner/tried_points.hpp"

namespace kope {
namespace {

// Below this a better ratio is noise: the medians of comparisons scatter by about half a per cent on a quiet machine.
constexpr double centre_moves_by = 0.003;
// Draws of a kind of step before the next kind is tried: enough to find one of a few untried points among dozens.
constexpr int draws_max = 64;

class local_search final : public policy {
public:
  explicit local_search(parameter_space space) : space_(std::move(space)) {
    auto view = space_.read();
    starts_ = starting_points(*view);
  }

  std::string_view name() const override { return "local_search"; }

  std::optional<proposal> next(random_source& random) override {
    auto view = space_.read();
    while (next_start_ < starts_.size()) {
      auto& start = starts_[next_start_++];
      if (tried_.take(start)) return proposal{start, "starting_point"};
    }
    if (!centre_.empty()) {
      // the direction that made the centre first
      if (direction_) {
        auto further = step_on(*view);
        direction_.reset();
        if (further && tried_.take(*further)) return proposal{*further, "same_direction"};
      }
      auto around = neighbours(*view, centre_);
      shuffle(around, random);
      for (auto& candidate : around)
        if (tried_.take(candidate)) return proposal{candidate, "neighbour"};
    }
    // the neighbourhood is used up: larger steps from the centre, then anywhere
    for (int draw = 0; draw < draws_max && !centre_.empty(); ++draw) {
      auto candidate = leap(*view, random);
      if (candidate && tried_.take(*candidate)) return proposal{*candidate, "leap"};
    }
    for (int draw = 0; draw < draws_max; ++draw) {
      auto candidate = random_point(*view, random);
      if (!candidate) break;
      if (tried_.take(*candidate)) return proposal{*candidate, "restart"};
    }
    return std::nullopt;
  }

  void learn(const point& at, wire::Attempt::Reader attempt, bool incumbent) override {
    tried_.take(at);
    if (incumbent) {
      move_to(at, 0);
      return;
    }
    auto promotion = attempt.getPromotion();
    if (promotion.getPairs() == 0 || !(promotion.getRatio() > 0) || !(promotion.getLow() > 0)) return;
    // halfway to the lower end of the interval: a wide one is believed less
    double height = (std::log(promotion.getRatio()) + std::log(promotion.getLow())) / 2;
    if (centre_.empty() || height > centre_height_ + centre_moves_by) move_to(at, height);
  }

  std::string snapshot() const override {
    nlohmann::json state;
    state["starts"] = next_start_;
    state["centre"] = centre_;
    state["height"] = centre_height_;
    state["tried"] = tried_.hashes();
    return state.dump();
  }

  result<unit> restore(std::string_view snapshot) override {
    auto state = nlohmann::json::parse(snapshot, nullptr, false);
    try {
      if (!state.is_object()) throw std::runtime_error("not an object");
      next_start_ = std::min(state.at("starts").get<size_t>(), starts_.size());
      auto centre = state.at("centre").get<point>();
      auto view = space_.read();
      centre_ = is_valid(*view, centre) ? centre : point{};
      centre_height_ = state.at("height").get<double>();
      tried_.clear();
      for (auto& hash : state.at("tried")) tried_.take(hash.get<uint64_t>());
      return unit{};
    } catch (const std::exception& e) {
      return error{errc::invalid_input, std::string("a local_search snapshot cannot be read: ") + e.what()};
    }
  }

private:
  void move_to(const point& at, double height) {
    if (!centre_.empty() && centre_ != at) direction_ = {centre_, at};
    centre_ = at;
    centre_height_ = height;
  }

  /// Two or three parameters of the centre changed at once.
  std::optional<point> leap(wire::ParameterSpace::Reader space, random_source& random) const {
    point there = centre_;
    for (size_t changes = 2 + random.below(2); changes > 0; --changes) {
      auto around = neighbours(space, there);
      if (around.empty()) return std::nullopt;
      there = around[random.below(around.size())];
    }
    return there;
  }

  /// The centre moved once more by the change that led to it; nothing when that leaves the space.
  std::optional<point> step_on(wire::ParameterSpace::Reader space) const {
    auto ranges = space.getRanges();
    point further = direction_->second;
    if (direction_->first.size() != further.size() || further.size() != ranges.size()) return std::nullopt;
    bool moved = false;
    for (unsigned i = 0; i < ranges.size(); ++i) {
      if (!ranges[i].getOrdered() || direction_->first[i] == further[i]) continue;
      auto values = ranges[i].getValues();
      unsigned place = 0;
      while (place < values.size() && values[place] != further[i]) ++place;
      bool up = further[i] > direction_->first[i];
      if (up ? place + 1 >= values.size() : place == 0) return std::nullopt;
      further[i] = values[up ? place + 1 : place - 1];
      moved = true;
    }
    if (!moved || !is_valid(space, further)) return std::nullopt;
    return further;
  }

  static void shuffle(std::vector<point>& points, random_source& random) {
    for (size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random.below(i)]);
  }

  parameter_space space_;
  std::vector<point> starts_;
  size_t next_start_ = 0;
  point centre_;
  double centre_height_ = 0;  // log of its ratio to the incumbent; 0 when it is the incumbent
  std::optional<std::pair<point, point>> direction_;
  tried_points tried_;
};

}  // namespace

std::unique_ptr<policy> make_local_search(parameter_space space) {
  return std::make_unique<local_search>(std::move(space));
}

}  // namespace kope
