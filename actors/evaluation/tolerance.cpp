#include "actors/evaluation/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "actors/evaluation/element_types.hpp"

namespace kope {

namespace {

constexpr double allowance = 8;
/// Roundings of the output's magnitude that are always allowed: a sum of 512 terms in any order stays within about 20.
/// f64 gets more, because there the oracle is no more exact than the candidate.
constexpr double floor_roundings_f32 = 32;
constexpr double floor_roundings_f64 = 512;
/// Largest relative error, in roundings, that counts as "every element is accurate by itself".
constexpr double accurate_roundings = 64;
/// Fewer elements than this cannot show that none is lost in cancellation: of zero-mean sums one in about 80 is.
constexpr size_t elements_for_relative = 4096;

double floor_roundings(wire::ElementType type) {
  return type == wire::ElementType::F64 ? floor_roundings_f64 : floor_roundings_f32;
}

}  // namespace

void tolerance_estimate::add(double wanted, double got) {
  if (!std::isfinite(wanted) || !std::isfinite(got)) return;
  double error = std::fabs(got - wanted);
  absolute_error_ = std::max(absolute_error_, error);
  if (error > 0) relative_error_ = std::max(relative_error_, error / std::max(std::fabs(wanted), 1e-300));
}

void tolerance_estimate::add_baseline(std::span<const double> oracle, std::span<const std::byte> baseline) {
  elements_ += oracle.size();
  if (type_ == wire::ElementType::F32) {
    auto* got = reinterpret_cast<const float*>(baseline.data());
    for (size_t i = 0; i < oracle.size(); ++i) add(oracle[i], got[i]);
  } else if (type_ == wire::ElementType::F64) {
    auto* got = reinterpret_cast<const double*>(baseline.data());
    for (size_t i = 0; i < oracle.size(); ++i) add(oracle[i], got[i]);
  }
}

void tolerance_estimate::add_perturbed(std::span<const double> oracle, std::span<const double> perturbed) {
  if (!is_floating(type_)) return;
  for (size_t i = 0; i < oracle.size(); ++i) add(oracle[i], perturbed[i]);
}

tolerance tolerance_estimate::of(std::span<const double> expected) const {
  if (!is_floating(type_)) return {};
  double rounding = std::max(unit_roundoff(type_), unit_roundoff(arithmetic_));
  double floor = floor_roundings(type_) * rounding;
  // An element next to zero is within one normal number of it, whatever was flushed on the way.
  double smallest =
      type_ == wire::ElementType::F32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  if (elements_ >= elements_for_relative && relative_error_ <= accurate_roundings * rounding) {
    return {std::max(floor, allowance * relative_error_), smallest};
  }
  double square_sum = 0;
  size_t finite = 0;
  for (double value : expected) {
    if (!std::isfinite(value)) continue;
    square_sum += value * value;
    ++finite;
  }
  double magnitude = finite ? std::sqrt(square_sum / static_cast<double>(finite)) : 0;
  return {floor, std::max({allowance * absolute_error_, floor * magnitude, smallest})};
}

}  // namespace kope
