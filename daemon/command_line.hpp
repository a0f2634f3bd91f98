// The command line: CLI11 for flags, nothing else. Main thread.
#pragma once

namespace kope {

/// Parses, runs the command, gives the exit code. Usage mistakes are exit code 2 with one sentence.
int run_command_line(int count, char** values);

}  // namespace kope
