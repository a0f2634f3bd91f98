// Where the runner program is and what a candidate may use in it.
#pragma once

#include <cstdint>
#include <string>

#include "toolchains/sandbox.hpp"

namespace kope {

struct host_runner_options {
  std::string program = "kope-runner";  ///< absolute, or looked up in PATH
  uint32_t threads = 1;                 ///< OMP_NUM_THREADS: threads that the task's target names
  uint32_t memory_mebibytes = 2048;     ///< address space beside the slots: libraries, static storage, thread stacks
  uint32_t cpu_seconds = 3600;          ///< a session is kept as long as its source is the incumbent; calls have
                                        ///< their own deadlines, this ends what escapes them
  uint32_t wall_seconds = 24 * 3600;    ///< the same for one that sleeps
  uint32_t processes = 64;              ///< threads of a candidate
  uint32_t last_words_kibibytes = 8;    ///< what it printed before it died
  sandbox_level weakest = sandbox_level::lite;  ///< below it nothing is run; lower in tests alone
  bool screened = true;                         ///< off in tests alone, to see what the screen is good for
  bool confined = true;           ///< off in tests alone, to see what the runner's own filters are good for
  bool freeze = true;             ///< false in tests of what it is good for: the process goes on while it is
                                  ///< looked at
  bool sealed_inputs = true;      ///< false in tests of what it is good for: inputs can be made writable
  bool charge_early_work = true;  ///< false in tests of what it is good for: CPU time before the clock is free
};

}  // namespace kope
