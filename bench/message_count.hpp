// How many messages the program's actors were sent. CAF 0.17 does not count them, so the bench's program puts its own
// function in front of the one through which every mailbox is filled. Any thread. In programs that link this file only.
#pragma once

#include <cstdint>

namespace kope::bench {

/// Since the program began, delayed messages included. 0 for ever where the function could not be put in front.
uint64_t messages_sent();

}  // namespace kope::bench
