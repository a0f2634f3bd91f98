// What each parameter's values do to the log speed-up, and what that leaves over, as one Gaussian process: a sum of
// main effects, one a parameter, and a residual that points share the more of, the more values they have in common. So
// a dozen measured points say something about thousands, with how sure it is. Pure, one thread.
//
// Over recorded landscapes (tests/data/landscapes) a search by this model needs 0.57 of the attempts of random draws
// and 0.50 of a local search's, as geometric means over landscapes and seeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace kope {

/// A decision reads at most so many results, whatever the history: n^3 / 3 operations for 200 are some milliseconds.
constexpr size_t model_points_max = 200;

/// Place of each parameter's value in its range.
using places = std::vector<uint16_t>;

struct model_range {
  size_t values = 1;
  bool ordered = false;  ///< neighbouring values have similar effects
};

struct measured_point {
  places at;
  double height = 0;    ///< log speed-up, of any common zero
  double variance = 0;  ///< of `height`, from its interval
};

struct belief {
  double mean = 0;
  double deviation = 0;
};

class gaussian_model {
public:
  explicit gaussian_model(std::vector<model_range> ranges);
  ~gaussian_model();
  gaussian_model(gaussian_model&&) noexcept;

  /// Replaces what it knew. Of a few sizes of effects it takes the one under which the measurements are likeliest. At
  /// most model_points_max points, at least one.
  void fit(std::span<const measured_point> measured);
  /// Of a point that need not have been measured. After fit().
  belief at(const places& point) const;

private:
  struct fitted;
  /// What two points share: of main effects, and of the residual. Sizes of effects are factors before these.
  struct shared {
    double main = 0, residual = 0;
  };
  shared share(const places& a, const places& b) const;

  std::vector<model_range> ranges_;
  std::vector<double> share_of_apart_;      // of an ordered range's effect, by distance
  std::vector<double> share_of_differing_;  // of the residual, by number of parameters
  std::unique_ptr<fitted> fitted_;
};

/// By how much a point is expected to beat `best`, counting nothing for those that do not (Mockus 1978).
double expected_improvement(const belief& of, double best);

}  // namespace kope
