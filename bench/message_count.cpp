#include "bench/message_count.hpp"

#include <dlfcn.h>

#include <atomic>
#include <caf/mailbox_element.hpp>
#include <caf/scheduled_actor.hpp>

namespace {

std::atomic<uint64_t> sent{0};

}  // namespace

namespace caf {

// A program's own definition comes before that of a library, also where the library's own tables name it.
void scheduled_actor::enqueue(mailbox_element_ptr message, execution_unit* unit) {
  using member = void (*)(scheduled_actor*, mailbox_element_ptr, execution_unit*);
  static const auto original = reinterpret_cast<member>(
      dlsym(RTLD_NEXT,
            "_ZN3caf15scheduled_actor7enqueueESt10unique_ptrINS_15mailbox_elementENS_6detail8disposerEE"
            "PNS_14execution_unitE"));
  sent.fetch_add(1, std::memory_order_relaxed);
  original(this, std::move(message), unit);
}

}  // namespace caf

namespace kope::bench {

uint64_t messages_sent() { return sent.load(std::memory_order_relaxed); }

}  // namespace kope::bench
