// result<T>: a value or an error that says what failed, where, and what would be right.
// Used for tool failures. A candidate's failure is not an error but an outcome (work.capnp), and a broken invariant
// is neither: check() ends the actor with its reason.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace kope {

/// What a caller may branch on; the text is for people.
enum class errc {
  invalid_input,  ///< config, task, plug-in, message or database that cannot be used as it is
  not_found,      ///< no such task, exploration, attempt or source
  tool_missing,   ///< a program or package that this machine does not have
  busy,           ///< another writer holds the store, or a queue is full
  disk_full,      ///< the store could not grow; nothing was written, try again when there is room
  io,             ///< the operating system refused
  timed_out,
  cancelled,
  forbidden,      ///< what a candidate must not do, found by the screen or the sandbox
  out_of_memory,  ///< of a child that reached its limit, not ours
  internal,       ///< a bug of ours seen from outside, e.g. an exception in a tool
};

struct error {
  errc code = errc::internal;
  std::string what;  ///< one sentence: what, where, what would be right
};

/// Success without a value.
struct unit {};

template <class T>
class [[nodiscard]] result {
public:
  result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  result(error e) : state_(std::in_place_index<1>, std::move(e)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

  const error& failure() const { return std::get<1>(state_); }

private:
  std::variant<T, error> state_;
};

/// Always on. A false condition is a bug of ours, not a result: the exception ends the actor that met it.
inline void check(bool condition, const char* reason) {
  if (!condition) throw std::logic_error(std::string("broken invariant: ") + reason);
}

}  // namespace kope
