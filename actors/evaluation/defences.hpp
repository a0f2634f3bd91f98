// What protects a verdict, one switch each. Everything is on in the program, and no command or file can turn anything
// off: the switches are for tests, which turn one off and show that a shipped source then gets through
// (tests/adversarial). A defence without such a source protects nothing and is removed. Plain values, any thread.
//
// Three more are the runner's and have their switches in toolchains/host_runner_options.hpp: the freeze, the seal of
// the inputs, and the charge for work before the clock. Separate processes, the parent's clock and the handshake have
// none, because there is nothing to fall back to; docs/TRUST.md says which sources attack those.
#pragma once

namespace kope {

struct defences {
  bool fresh_inputs = true;     ///< off: every call gets the first input set
  bool distinct_slots = true;   ///< off: every call of a timed batch gets the first slot
  bool poison = true;           ///< off: outputs keep what they held
  bool full_comparison = true;  ///< off: the first 64 elements of an output stand for all
  bool random_sample = true;    ///< off: large timed batches are scanned for poison alone
  bool guard_pages = true;      ///< off: verification places tensors as timing does, with room around them
  bool shared_process = true;   ///< off: verification starts a process for each case
  bool hidden_cases = true;     ///< off: visible and timed ones alone
  bool drawn_shape = true;      ///< off: listed shapes alone
  bool tolerance = true;        ///< off: 0.01 for everything, as is usual elsewhere
  bool special_values = true;   ///< off: a NaN is near to everything, as in `error > tolerance`
  bool all_zero_rule = true;    ///< off: zeros are judged like any other number
};

/// Elements compared when `full_comparison` is off.
constexpr unsigned first_elements = 64;

}  // namespace kope
