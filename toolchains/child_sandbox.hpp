// Turns a request with a sandbox profile into what the child does to itself (child_confinement.hpp), at the strongest
// level that was seen to work. Owned by the process host and used on its thread; the report can be read by any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "messages/result.hpp"
#include "toolchains/child_start.hpp"
#include "toolchains/process_tree.hpp"
#include "toolchains/sandbox.hpp"

namespace kope {

/// Descriptors that a prepared start needs until it was made.
class start_descriptors {
public:
  start_descriptors() = default;
  ~start_descriptors();
  start_descriptors(start_descriptors&& other) noexcept;
  start_descriptors& operator=(start_descriptors&&) = delete;
  int keep(int fd);

private:
  std::vector<int> owned_;
};

class child_sandbox {
public:
  /// Makes <scratch>/root.<pid>.<ticks>.<number>, an empty directory on which children mount their roots.
  child_sandbox(const std::string& scratch, const process_name& host, sandbox_defences defences);
  ~child_sandbox();
  child_sandbox(const child_sandbox&) = delete;
  child_sandbox& operator=(const child_sandbox&) = delete;

  /// Starts children at each level, strongest first, and notes which ends well.
  void probe(child_launcher& launcher, child_hold hold);
  const sandbox_report& report() const { return report_; }

  /// Adds to `what` how it is confined; nothing for the profile `none` or where the machine allows nothing. `number` is
  /// unique among living children: it chooses the user.
  result<start_descriptors> prepare(const process_request& request, uint64_t number, child_start& what);

private:
  std::optional<std::string> try_level(child_launcher& launcher, child_hold hold, bool separate);
  result<start_descriptors> confine(const process_request& request, uint64_t number, bool separate, child_start& what);
  const std::vector<root_step>& places(sandbox_profile profile);

  const sandbox_defences defences_;
  std::string root_;
  sandbox_report report_;
  bool separate_ = false;      // namespaces of their own work
  bool confined_ = false;      // what `lite` has works
  bool changes_user_ = false;  // we are root and may become others
  std::vector<root_step> compiler_places_, runner_places_;
};

}  // namespace kope
