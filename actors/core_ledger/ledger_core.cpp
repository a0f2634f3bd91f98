#include "actors/core_ledger/ledger_core.hpp"

#include <algorithm>

#include "messages/actors.hpp"
#include "messages/result.hpp"

namespace kope {

ledger_core::ledger_core(uint32_t cores) : cores_(std::max(cores, 1u)) {}

void ledger_core::request(ledger_request wanted) {
  (wanted.use == core_use::measure ? measures_ : shared_).push_back(wanted);
}

void ledger_core::release(uint64_t number) {
  granted_.erase(number);
  for (auto* queue : {&shared_, &measures_})
    std::erase_if(*queue, [number](const ledger_request& waiting) { return waiting.number == number; });
  if (measures_.empty()) machine_busy_ = false;
}

void ledger_core::pause(bool paused) { paused_ = paused; }

bool ledger_core::measuring() const {
  return std::any_of(granted_.begin(), granted_.end(),
                     [](const auto& grant) { return grant.second == core_use::measure; });
}

bool ledger_core::compiles(core_use use) { return use == core_use::compile; }

size_t ledger_core::compiling() const {
  return static_cast<size_t>(
      std::count_if(granted_.begin(), granted_.end(), [](const auto& grant) { return compiles(grant.second); }));
}

void ledger_core::start(const ledger_request& wanted, std::vector<uint64_t>& started) {
  auto [at, fresh] = granted_.emplace(wanted.number, wanted.use);
  check(fresh, "a ledger request was granted twice");
  started.push_back(at->first);
}

}  // namespace kope
