// What every actor installs first: an unexpected message is logged and refused, an exception ends the actor with its
// name and reason. CAF's own defaults would print to stdout.
#pragma once

#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/sec.hpp>
#include <exception>
#include <string>

#include "actors/log.hpp"
#include "messages/ids.hpp"

namespace kope {

/// Once, at the start of an actor's function.
template <class Self>
void install_shell(Self* self) {
  self->set_default_handler([](caf::scheduled_actor* actor, caf::message_view& message) -> caf::result<caf::message> {
    log::warn(actor->name(), "unexpected-message", to_string(message.move_content_to_message()));
    return caf::sec::unexpected_message;
  });
  self->set_exception_handler([](caf::scheduled_actor* actor, std::exception_ptr& thrown) -> caf::error {
    std::string reason = "unknown exception";
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
      reason = e.what();
    } catch (...) {
    }
    log::failure(actor->name(), "died", reason);
    return caf::make_error(caf::sec::runtime_error, std::move(reason));
  });
}

/// Ids in messages are text that our own actors wrote; one that cannot be read is a bug.
template <class Id>
Id id_of(std::string_view text) {
  auto id = Id::parse(text);
  check(id.has_value(), "an id in a message is not 16 hex digits");
  return *id;
}

}  // namespace kope
