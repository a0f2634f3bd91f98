// Finds and kills what children left behind where no PID namespace does it for us, and keeps the list by which a later
// start of the program finds the children of a killed one. Only process.cpp uses it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "messages/result.hpp"

namespace kope {

/// A process of this machine that cannot be mistaken for another: a pid is reused, a pid with its start time is not.
struct process_name {
  pid_t pid = 0;
  uint64_t start_ticks = 0;
};

/// Start time in clock ticks since boot, 0 if there is no such process.
uint64_t start_ticks_of(pid_t pid);

/// Two variables that every child carries: whose scratch it belongs to, and which host and child it is.
std::string scratch_marker(const std::string& scratch);
std::string child_marker(const process_name& host, uint64_t child);

/// Kills (SIGKILL) every process whose environment holds this "NAME=value", round after round until none is left or a
/// bound is met. Returns how many it killed.
size_t kill_marked(const std::string& marker);

/// <scratch>/children.<host pid>: one fixed-size line a running child, so that a start and an end are one pwrite each.
class child_list {
public:
  explicit child_list(std::string scratch);
  ~child_list();  ///< removes the file: everything on it was reaped
  child_list(const child_list&) = delete;
  child_list& operator=(const child_list&) = delete;

  size_t add(pid_t pid);
  void remove(size_t line);
  const process_name& host() const { return host_; }

private:
  std::string path_;
  process_name host_;
  int fd_ = -1;
  std::vector<bool> used_;
};

/// <scratch>/root.<pid>.<ticks>: what the directories for private roots of this host are called, before a number.
std::string private_root_name(const std::string& scratch, const process_name& host);

/// Removes the directories for private roots of hosts that no longer live, and kills what the lists of hosts that no
/// longer live name, and every process that carries the scratch marker of such a host; removes those lists. Returns how
/// many processes.
size_t sweep_children(const std::string& scratch);

}  // namespace kope
