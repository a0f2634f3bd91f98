// SIGINT and SIGTERM as something to ask for. Block before any other thread exists; asked by the main thread.
#pragma once

namespace kope {

/// Blocks both in this thread and in all that it starts, and ignores SIGPIPE.
void block_signals();
/// The signal that came since the last call, or 0. Never waits.
int signal_received();

}  // namespace kope
