// The program. Everything it does is in command_line.cpp and what that calls.

#include <cstdlib>
#include <exception>
#include <iostream>

#include "daemon/command_line.hpp"
#include "daemon/signals.hpp"

int main(int count, char** values) {
  kope::block_signals();  // before any thread exists
  try {
    return kope::run_command_line(count, values);
  } catch (const std::exception& e) {
    std::cerr << "kope: " << e.what() << '\n';
    return EXIT_FAILURE;
  }
}
