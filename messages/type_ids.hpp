// What CAF must know of our message types. They stay inside the process until a node joins; then add_message_type
// gets its wire names here and nowhere else.
#pragma once

#include <caf/actor_system_config.hpp>

namespace kope {

/// Called once, before the actor system is made.
void add_message_types(caf::actor_system_config& config);

}  // namespace kope
