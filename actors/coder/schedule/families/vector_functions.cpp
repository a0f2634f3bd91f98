#include "actors/coder/schedule/families/vector_functions.hpp"

#include <string_view>

#include "actors/coder/schedule/kernel_text.hpp"

namespace kope {
namespace {

constexpr std::string_view numbers = R"(
inline vec number(float value) { return value - vec{}; }
)";

constexpr std::string_view comparisons = R"(
// The second is what comes back when one of them is not a number.
inline vec larger(vec a, vec b) { return a > b ? a : b; }
inline vec smaller(vec a, vec b) { return a < b ? a : b; }
)";

// The exponent is added in two halves where no instruction does it: 2^128 is no f32, but its root is.
constexpr std::string_view exponential = R"(
typedef int32_t whole __attribute__((vector_size($bytes$)));

// p times 2 to the power of k, a whole number from -160 to 140.
inline vec scaled(vec p, vec k) {
$instruction$  const whole both = (whole)(k + 0x1.8p23f) - 0x4b400000, one = both >> 1;
  return p * (vec)((one + 127) << 23) * (vec)((both - one + 127) << 23);
}

// e to the power of x. Beyond the ends the result is 0 or infinity.
inline vec exp_of(vec x) {
  vec lowest = number(-105.0f), highest = number(90.0f);
#ifdef $has_vectors$
  asm("" : "+v"(lowest), "+v"(highest));  // of a constant GCC 12 makes two instructions of larger
#endif
  x = smaller(highest, larger(lowest, x));
  const vec k = x * 1.44269504f + 0x1.8p23f - 0x1.8p23f;  // adding and taking off leaves a whole number
  // ln 2 in two parts, of which the first times a whole number is exact
  const vec d = x - k * 0.693359375f + k * 2.12194440e-4f;
  // least largest relative error on |d| <= ln(2) / 2: 3e-9
  vec p = d * 0.0013814439298585057f + 0.008368786424398422f;
  p = p * d + 0.041668396443128586f;
  p = p * d + 0.1666651964187622f;
  p = p * d + 0.4999999403953552f;
  p = p * d + 1.0f;
  p = p * d + 1.0f;
  return scaled(p, k);
}
)";

constexpr std::string_view instruction = R"(#ifdef __AVX512F__
  if (true) return __builtin_ia32_scalefps512_mask(p, k, p, (uint16_t)-1, 4);
#endif
)";

// Quotients of polynomials in the square of x, least largest relative errors 7e-9 and 7e-8. Beyond the ends the result
// is 1 to the last digit but one.
constexpr std::string_view tangent = R"(
inline vec tanh_of(vec x) {
  x = smaller(number(9.0f), larger(number(-9.0f), x));
  const vec t = x * x;
  vec p = t * -8.489313852583225e-14f + 5.2782101606085874e-11f;
  p = p * t + -2.0225826347086695e-08f;
  p = p * t + 1.1154469557583332e-05f;
  p = p * t + 0.003103972412645817f;
  p = p * t + 0.1308402419090271f;
  p = p * t + 1.0f;
  vec q = t * 0.00025461683981120586f + 0.024495244026184082f;
  q = q * t + 0.4641735255718231f;
  q = q * t + 1.0f;
  return x * p / q;
}
)";

constexpr std::string_view error_function = R"(
inline vec erf_of(vec x) {
  x = smaller(number(4.0f), larger(number(-4.0f), x));
  const vec t = x * x;
  vec p = t * 1.911044300584308e-08f + -1.942166818480473e-06f;
  p = p * t + 0.00014726282097399235f;
  p = p * t + 0.003989724442362785f;
  p = p * t + 0.05152236297726631f;
  p = p * t + 0.2071063369512558f;
  p = p * t + 1.1283791065216064f;
  vec q = t * 0.0010208950843662024f + 0.014956418424844742f;
  q = q * t + 0.11796290427446365f;
  q = q * t + 0.5168744921684265f;
  q = q * t + 1.0f;
  return x * p / q;
}
)";

}  // namespace

std::string vector_functions_text(int64_t lanes, vector_functions wanted) {
  const bool calls = wanted.exp || wanted.tanh || wanted.erf;
  std::string text(wanted.number || calls ? numbers : "");
  if (calls) text += comparisons;
  if (wanted.exp)
    text += filled(exponential, {{"bytes", std::to_string(lanes * 4)},
                                 {"instruction", std::string(lanes == 16 ? instruction : "")},
                                 {"has_vectors", vectors_macro(lanes)}});
  if (wanted.tanh) text += tangent;
  if (wanted.erf) text += error_function;
  return text;
}

}  // namespace kope
