#include "actors/planner/policies/random_search.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "actors/planner/tried_points.hpp"

namespace kope {
namespace {

// In a space that is used up nearly every draw was tried: this many in a row mean that little is left.
constexpr int draws_max = 256;

class random_search final : public policy {
public:
  explicit random_search(parameter_space space) : space_(std::move(space)) {
    auto view = space_.read();
    starts_ = starting_points(*view);
  }

  std::string_view name() const override { return "random"; }

  std::optional<proposal> next(random_source& random) override {
    while (next_start_ < starts_.size()) {
      auto& start = starts_[next_start_++];
      if (tried_.take(start)) return proposal{start, "starting_point"};
    }
    auto view = space_.read();
    for (int draw = 0; draw < draws_max; ++draw) {
      auto candidate = random_point(*view, random);
      if (!candidate) break;
      if (tried_.take(*candidate)) return proposal{*candidate, "draw"};
    }
    return std::nullopt;
  }

  void learn(const point& at, wire::Attempt::Reader, bool) override { tried_.take(at); }

  std::string snapshot() const override {
    nlohmann::json state;
    state["starts"] = next_start_;
    state["tried"] = tried_.hashes();
    return state.dump();
  }

  result<unit> restore(std::string_view snapshot) override {
    auto state = nlohmann::json::parse(snapshot, nullptr, false);
    try {
      next_start_ = std::min(state.at("starts").get<size_t>(), starts_.size());
      tried_.clear();
      for (auto& hash : state.at("tried")) tried_.take(hash.get<uint64_t>());
      return unit{};
    } catch (const std::exception& e) {
      return error{errc::invalid_input, std::string("a snapshot of the policy random cannot be read: ") + e.what()};
    }
  }

private:
  parameter_space space_;
  std::vector<point> starts_;
  size_t next_start_ = 0;
  tried_points tried_;
};

}  // namespace

std::unique_ptr<policy> make_random_search(parameter_space space) {
  return std::make_unique<random_search>(std::move(space));
}

}  // namespace kope
