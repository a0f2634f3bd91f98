#include "actors/evaluation/cpu_choice.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "messages/result.hpp"

namespace kope {

namespace {

std::vector<int> own_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

bool run_on(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus) CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

/// 256 KiB: in L2 of every CPU in use, so that memory traffic of others is not what is probed.
constexpr size_t probe_words = 32 << 10;
constexpr int probe_rounds = 9;  ///< alternating, so that one disturbance does not condemn a CPU

double probe_seconds(std::vector<uint64_t>& words) {
  auto start = std::chrono::steady_clock::now();
  uint64_t sum = 0;
  for (int pass = 0; pass < 16; ++pass)
    for (auto& word : words) sum += word = word * 6364136223846793005ull + sum;
  words[0] ^= sum;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int quickest_cpu(const std::vector<int>& cpus) {
  check(!cpus.empty(), "timing needs a CPU");
  if (cpus.size() == 1) return cpus.front();
  auto before = own_cpus();
  std::vector<uint64_t> words(probe_words, 1);
  std::vector<double> best(cpus.size(), std::numeric_limits<double>::infinity());
  for (int round = 0; round < probe_rounds; ++round) {
    for (size_t i = 0; i < cpus.size(); ++i) {
      if (!run_on({cpus[i]})) continue;
      best[i] = std::min(best[i], probe_seconds(words));
    }
  }
  if (!before.empty()) run_on(before);
  return cpus[static_cast<size_t>(std::min_element(best.begin(), best.end()) - best.begin())];
}

stay_off::stay_off(int cpu) {
  auto cpus = own_cpus();
  auto others = cpus;
  std::erase(others, cpu);
  if (others.empty() || others.size() == cpus.size()) return;
  if (run_on(others)) before_ = cpus;
}

stay_off::~stay_off() {
  if (!before_.empty()) run_on(before_);
}

}  // namespace kope
