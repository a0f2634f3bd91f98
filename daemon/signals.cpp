#include "daemon/signals.hpp"

#include <csignal>

namespace kope {
namespace {

sigset_t endings() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void block_signals() {
  auto set = endings();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int signal_received() {
  auto set = endings();
  timespec now{};
  int signal = sigtimedwait(&set, nullptr, &now);
  return signal > 0 ? signal : 0;
}

}  // namespace kope
