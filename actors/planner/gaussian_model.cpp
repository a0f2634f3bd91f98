#include "actors/planner/gaussian_model.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "messages/result.hpp"

namespace kope {
namespace {

// Sizes of one parameter's effect on the log: from noise to a factor of three.
constexpr double amplitudes[] = {0.12, 0.25, 0.5, 1.0};
// Variance of what main effects leave over, as a multiple of one effect's: little, or as much as several.
constexpr double residuals[] = {0.5, 3};
// Ordered values next to each other share this much of their effect.
constexpr double share_of_next = 0.6;
// Points share e^-(differing parameters / this) of the residual.
constexpr double residual_reach = 1.5;
// Kernels of one source differ by about a per cent between two sessions of timing.
constexpr double variance_min = 1e-4;

}  // namespace

struct gaussian_model::fitted {
  std::vector<places> points;
  double amplitude = 0, residual = 0, centre = 0;
  Eigen::LLT<Eigen::MatrixXd> factor;
  Eigen::VectorXd weights;
};

gaussian_model::gaussian_model(std::vector<model_range> ranges) : ranges_(std::move(ranges)) {
  size_t longest = 1;
  for (const auto& range : ranges_) longest = std::max(longest, range.values);
  for (size_t apart = 0; apart < longest; ++apart)
    share_of_apart_.push_back(std::pow(share_of_next, static_cast<double>(apart)));
  for (size_t differing = 0; differing <= ranges_.size(); ++differing)
    share_of_differing_.push_back(std::exp(-static_cast<double>(differing) / residual_reach));
}
gaussian_model::~gaussian_model() = default;
gaussian_model::gaussian_model(gaussian_model&&) noexcept = default;

gaussian_model::shared gaussian_model::share(const places& a, const places& b) const {
  double main = 0;
  size_t differing = 0;
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (a[i] == b[i]) {
      main += 1;
      continue;
    }
    ++differing;
    if (ranges_[i].ordered) main += share_of_apart_[a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]];
  }
  return {main, share_of_differing_[differing]};
}

void gaussian_model::fit(std::span<const measured_point> measured) {
  check(!measured.empty() && measured.size() <= model_points_max, "a model is fitted to 1 to model_points_max points");
  const auto n = static_cast<Eigen::Index>(measured.size());
  Eigen::VectorXd heights(n), noise(n);
  Eigen::MatrixXd main = Eigen::MatrixXd::Zero(n, n), rest = main;  // the lower triangles alone
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& one = measured[static_cast<size_t>(i)];
    heights[i] = one.height;
    noise[i] = std::max(one.variance, variance_min);
    for (Eigen::Index j = 0; j <= i; ++j) {
      auto both = share(one.at, measured[static_cast<size_t>(j)].at);
      main(i, j) = both.main;
      rest(i, j) = both.residual;
    }
  }
  const double centre = heights.mean();
  heights.array() -= centre;

  if (!fitted_) fitted_ = std::make_unique<fitted>();
  double likeliest = -std::numeric_limits<double>::infinity();
  for (double residual : residuals) {
    for (double amplitude : amplitudes) {
      Eigen::MatrixXd covariance = amplitude * amplitude * (main + residual * rest);
      covariance.diagonal() += noise;
      Eigen::LLT<Eigen::MatrixXd> factor(covariance);  // reads the lower triangle alone
      if (factor.info() != Eigen::Success) continue;
      Eigen::VectorXd weights = factor.solve(heights);
      double likelihood = -0.5 * heights.dot(weights);
      for (Eigen::Index i = 0; i < n; ++i) likelihood -= std::log(factor.matrixLLT()(i, i));
      if (!(likelihood > likeliest)) continue;
      likeliest = likelihood;
      fitted_->amplitude = amplitude;
      fitted_->residual = residual;
      fitted_->factor = std::move(factor);
      fitted_->weights = std::move(weights);
    }
  }
  check(std::isfinite(likeliest), "heights and variances are numbers");
  fitted_->centre = centre;
  fitted_->points.clear();
  for (const auto& one : measured) fitted_->points.push_back(one.at);
}

belief gaussian_model::at(const places& point) const {
  const auto& f = *fitted_;
  const double size = f.amplitude * f.amplitude;
  auto covariance = [&](const shared& both) { return size * (both.main + f.residual * both.residual); };
  const auto n = static_cast<Eigen::Index>(f.points.size());
  Eigen::VectorXd with(n);
  for (Eigen::Index i = 0; i < n; ++i) with[i] = covariance(share(point, f.points[static_cast<size_t>(i)]));
  double mean = f.centre + with.dot(f.weights);
  f.factor.matrixL().solveInPlace(with);
  double variance = covariance(share(point, point)) - with.squaredNorm();
  return {mean, std::sqrt(std::max(variance, 0.0))};
}

double expected_improvement(const belief& of, double best) {
  double gain = of.mean - best;
  if (!(of.deviation > 0)) return std::max(gain, 0.0);
  double z = gain / of.deviation;
  double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return gain * below + of.deviation * density;
}

}  // namespace kope
