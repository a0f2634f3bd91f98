// Runs the reference in double on one input set after another. Keeps the process of the last layout: a pool of sets is
// one process, not one for each set. Blocking, one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/evaluation/case_bank.hpp"
#include "toolchains/runner.hpp"

namespace kope {

/// Values of each output tensor, in prototype order.
using output_values = std::vector<std::vector<double>>;

class oracle {
public:
  oracle(task of, std::string artifact, runner& with, std::vector<int> cpus)
    : of_(std::move(of)), artifact_(std::move(artifact)), with_(with), cpus_(std::move(cpus)) {}

  /// Inputs of set `key` (already mixed from seed, case and set). With `moved` every floating input is moved to a
  /// neighbouring number of the task's type. Errors are ours or the reference's: it crashed, hung, or left an element
  /// unwritten.
  result<output_values> run(const concrete_case& c, uint64_t key, bool moved);

  /// Ends the process that is kept.
  void rest() { session_.reset(); }

private:
  task of_;
  std::string artifact_;
  runner& with_;
  std::vector<int> cpus_;
  std::unique_ptr<runner_session> session_;
  slot_layout layout_;
};

/// Key of input tensor `input` of a set.
uint64_t tensor_key(uint64_t set_key, size_t input);

}  // namespace kope
