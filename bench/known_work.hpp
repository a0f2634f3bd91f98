// Kernels whose times are known to differ by 5 %, to see whether timing says so. Each element of the output takes the
// same chain of dependent steps; the longer kernel takes the chain of one element in twenty a second time, so it does
// exactly a twentieth more of the same work, whatever a step costs on this machine. Pure, any thread.
#pragma once

#include <span>
#include <string>

#include "actors/evaluation/case_bank.hpp"

namespace kope::bench {

constexpr double known_ratio = 1.05;

struct known_length {
  const char* name;                       ///< of the timed case, and of the row in tables
  uint32_t elements;                      ///< a multiple of 20
  uint32_t steps;                         ///< of each element, about a nanosecond each
  double timed_seconds_max, seconds_max;  ///< what a comparison may cost on an idle machine
};
/// About 10 us, 1 ms and 50 ms a call.
std::span<const known_length> known_lengths();

/// The task of both kernels, with one timed case a length.
task known_work_task();
std::string shorter_kernel();
std::string longer_kernel();

}  // namespace kope::bench
