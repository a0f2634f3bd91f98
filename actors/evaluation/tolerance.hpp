// How far from the oracle a right answer may be, for one output tensor of one case. Measured, not guessed: an
// operator's own rounding decides, so a matrix product and a softmax need no constants of their own. Pure, any thread.
//
// Three errors are measured against the oracle (double) on a few sets of the case:
//   baseline      the reference in the task's type: what straightforward arithmetic of that type makes of it
//   sensitivity   the oracle itself with every input moved to a neighbouring number: no algorithm that
//                 rounds can be expected to do better, and where sums nearly cancel it is what remains
//   floor         a few roundings of the output's own magnitude, because the reference can be lucky
// and the tolerance is `allowance` times the largest. 8, because another order of summation, blocking or a fused
// operation has an error of the same distribution whose largest of a million elements differs by a factor of about 2,
// and polynomial approximations in use are within 4 units; and because f16 arithmetic is 2^13 roundings of f32 away,
// so its error stays far above 8 (measured for matrix products of inner sizes 1 to 512: tests).
//
// Form: outputs whose every element is computed to a small relative error (maps, sums of positive terms) get a purely
// relative tolerance, else tiny elements next to huge ones would go unchecked. Where some element is lost in the
// cancellation of larger terms, the tolerance is absolute and scaled with the whole output.
#pragma once

#include <cstddef>
#include <span>

#include "messages/task.capnp.h"

namespace kope {

struct tolerance {
  double relative = 0;
  double absolute = 0;
};

class tolerance_estimate {
public:
  /// `type`: of the output. `arithmetic`: of the task; integer outputs of a floating task still have to be equal.
  tolerance_estimate(wire::ElementType type, wire::ElementType arithmetic) : type_(type), arithmetic_(arithmetic) {}

  /// Oracle against the baseline's output (bytes of `type`).
  void add_baseline(std::span<const double> oracle, std::span<const std::byte> baseline);
  /// Oracle against itself with inputs moved to neighbouring numbers.
  void add_perturbed(std::span<const double> oracle, std::span<const double> perturbed);

  /// Of one set with these expected values.
  tolerance of(std::span<const double> expected) const;

private:
  void add(double wanted, double got);

  wire::ElementType type_, arithmetic_;
  double absolute_error_ = 0;
  double relative_error_ = 0;
  size_t elements_ = 0;
};

}  // namespace kope
