// Artifacts of verified attempts and who is the incumbent of each exploration, as the profile stage sees it: measuring
// is exclusive, so this stage decides promotions one after the other and no re-match is needed. Bounded; what was
// forgotten is built again from its source. Plain values with a lock, because device threads use it.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "messages/ids.hpp"

namespace kope {

class artifact_memory {
public:
  /// 64 MiB: some thousand artifacts of 20 KiB, more than the explorations of a machine at once.
  explicit artifact_memory(size_t bytes_max = 64 << 20) : bytes_max_(bytes_max) {}

  struct known {
    attempt_id attempt;
    std::shared_ptr<const std::string> artifact;
  };

  /// As promoted under this generation of the exploration's planner. Nothing under another one: what an earlier
  /// planner's work promoted may never have been committed, so the plan's own incumbent counts then.
  std::optional<known> incumbent(exploration_id of, uint32_t generation) const;
  std::shared_ptr<const std::string> artifact(attempt_id of) const;  ///< null when it is not known

  void keep(attempt_id attempt, std::shared_ptr<const std::string> artifact);
  /// Also keeps it. Ignored when a later generation has promoted already.
  void promote(attempt_id attempt, uint32_t generation, std::shared_ptr<const std::string> artifact);

private:
  void keep_locked(attempt_id attempt, std::shared_ptr<const std::string> artifact);

  size_t bytes_max_;
  mutable std::mutex mutex_;
  std::map<attempt_id, std::shared_ptr<const std::string>> artifacts_;
  std::list<attempt_id> oldest_first_;
  size_t bytes_ = 0;
  struct promoted {
    known what;
    uint32_t generation = 0;
  };
  std::map<exploration_id, promoted> incumbents_;
};

}  // namespace kope
