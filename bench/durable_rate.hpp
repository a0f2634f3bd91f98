// What the program itself costs when nothing else does: many explorations at once whose compiler and judges answer at
// once, with the real actors, the real store and its real waiting for the disk. Blocking; main thread.
#pragma once

#include <string>
#include <vector>

#include "bench/targets.hpp"
#include "bench/workplace.hpp"

namespace kope::bench {

struct durable_rate {
  uint32_t explorations = 0;
  uint64_t attempts = 0;          ///< acknowledged, so on disk
  double seconds = 0;             ///< from the first exploration asked for to the last one's end
  double resident_before = 0;     ///< MiB
  double resident_peak = 0;       ///< MiB, with all explorations running
  double messages_each = 0;       ///< an attempt; what an exploration costs is in it
  double bytes_written_each = 0;  ///< an attempt, handed to the kernel by this process
  double commits_each = 0;        ///< transactions an attempt, each with its wait for the disk
  double load_before = 0, load_after = 0;
};

/// 1,000 explorations of one ticket. errc::cancelled after a signal.
result<durable_rate> measure_durable_rate(workplace& at);

std::vector<target> durable_targets(const durable_rate& rate);
std::string durable_text(const durable_rate& rate);
json durable_json(const durable_rate& rate);

}  // namespace kope::bench
