// Contract of a compiler: source text to a shared object, as bytes. Asynchronous; the work is done by a child of the
// process host.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "messages/parcel.hpp"
#include "messages/result.hpp"
#include "messages/work.capnp.h"

namespace kope {

using build = parcel<wire::Build>;

enum class source_language : uint8_t { cpp, c };

struct compile_request {
  std::string source;              ///< candidate's text, at most source_bytes_max
  std::string prologue;            ///< goes before it in the same unit: types and the prototype
  std::string epilogue;            ///< goes after it: the shim that adapts the prototype to the runner's one entry
  std::vector<std::string> flags;  ///< candidate's flags, each must be on the description's allow-list
  /// The reference: the description's baseline flags instead of its base flags. Flags of its own replace those of them
  /// that choose optimisation and machine (-O, -march, -mtune, -mcpu).
  bool baseline = false;
  source_language language = source_language::cpp;
};

constexpr size_t source_bytes_max = 256 << 10;  ///< with 64 attempts in flight a core they stay far below 256 MiB

class compiler {
public:
  virtual ~compiler() = default;

  /// Any thread. `done` is called once, on a tool thread: it must only post a message. A candidate that does not
  /// compile is a build with `succeeded` false and its diagnostics; a tool that fails (missing, killed by its wall
  /// limit) is an error: errc::timed_out for the limit. Returns a ticket for cancel(). When compile() itself returns an
  /// error, nothing was started and `done` is not called. A request that is refused without the tool (a flag that is
  /// not allowed) is a failed build as well, and `done` runs before compile() returns.
  virtual result<uint64_t> compile(compile_request request, std::function<void(result<build>)> done) = 0;
  virtual void cancel(uint64_t ticket) = 0;

  /// First line of the tool's own version report.
  virtual std::string version() const = 0;
  /// Flags that every candidate gets, and those that the baseline is built with.
  virtual std::vector<std::string> base_flags() const = 0;
};

/// Compiles on the calling thread's time: device threads and start-up only.
result<build> compile_and_wait(compiler& with, compile_request request);

}  // namespace kope
