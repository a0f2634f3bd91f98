// Notes that an allocation was refused, so that a candidate that dies of it is not taken for one that crashed. Replaces
// the allocator's entries in this program and all that it loads; they hand on to the C library's own.
#pragma once

#include <stdint.h>

namespace kope {

/// Where to note it (1); a word of the shared page. Until it is called, nothing is noted.
void note_refused_memory_in(uint32_t* word);
void note_refused_memory();

}  // namespace kope
