// What `run` says while it explores, on stderr: one line that moves on a terminal, a line an attempt elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "messages/graph.capnp.h"

namespace kope {

class progress {
public:
  progress(uint32_t attempts_max, double seconds_max, bool quiet);
  ~progress();  ///< ends the moving line

  void attempt(wire::Attempt::Reader attempt);
  void tick(double seconds);           ///< redraws; cheap
  void note(const std::string& line);  ///< a line of its own

  uint32_t attempts() const { return attempts_; }

private:
  void draw(double seconds);
  void clear();

  uint32_t attempts_max_;
  double seconds_max_;
  bool quiet_;
  bool terminal_;
  uint32_t attempts_ = 0;
  double seconds_ = 0;
  double reference_microseconds_ = 0;
  double best_microseconds_ = 0;
  std::map<std::string, uint32_t> outcomes_;
  bool drawn_ = false;
};

}  // namespace kope
