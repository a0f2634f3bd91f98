// What the runner gives up before it loads an artifact: from then on its process may compute, allocate, start threads
// and end, and nothing else. For the runner's one thread.
#pragma once

#include "toolchains/runner_page.hpp"

namespace kope {

/// Before dlopen: no process, program, signal to others, network or file to write; files can still be read, because
/// dlopen does. A call that no kernel has a use for ends the process with SIGSYS, its number in `page`. False with
/// errno when the kernel refuses.
bool confine_loading(runner_page::control& page);

/// After dlopen, before the first call of the entry: no file is opened any more, and filters are final. Holds for
/// threads that exist already, too.
bool confine_running();

}  // namespace kope
