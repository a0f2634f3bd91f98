#include "toolchains/runner_process.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace kope {
namespace {

// How long a death may go unseen when its wake-up fell between our look and our sleep.
constexpr std::chrono::milliseconds look_again{20};

// Looks at `done` between two looks at the clock and at the end of the process: some microseconds.
constexpr int looks_at_once = 256;

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

void futex_wake(std::atomic<uint32_t>& word) { syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

void futex_wait(std::atomic<uint32_t>& word, uint32_t seen, runner_clock::duration at_most) {
  auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(at_most).count();
  timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &time, nullptr, 0);
}

void send(int pidfd, int signal) { syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0); }

// The process that a pidfd stands for: -1 once it was reaped, and for a descriptor of another kind.
pid_t pid_of(int pidfd) {
  std::ifstream info("/proc/self/fdinfo/" + std::to_string(pidfd));
  for (std::string name, value; info >> name && std::getline(info, value);)
    if (name == "Pid:") return atoi(value.c_str());
  return -1;
}

}  // namespace

runner_process::runner_process(process_host& host, std::shared_ptr<ended> shared)
  : host_(host),
    ended_(std::move(shared)),
    page_(reinterpret_cast<runner_page::control*>(ended_->control.bytes().data())) {}

result<std::unique_ptr<runner_process>> runner_process::start(process_host& host, const process_request& request,
                                                              shared_memory control) {
  auto shared = std::make_shared<ended>(std::move(control));
  std::unique_ptr<runner_process> made(new runner_process(host, shared));
  auto handle = host.start(request, [shared, page = made->page_](process_report report) {
    {
      std::lock_guard lock(shared->mutex);
      shared->report = std::move(report);
      shared->flag.store(true);
    }
    shared->arrived.notify_all();
    futex_wake(page->done);
  });
  if (!handle) {
    shared->flag.store(true);
    shared->report.emplace();
    return handle.failure();
  }
  made->id_ = handle->id;
  made->pid_ = handle->pid;
  // The host may have reaped it by now, and the descriptor's number may be another's: signals must not go there.
  made->pidfd_ = fcntl(handle->pidfd, F_DUPFD_CLOEXEC, 0);
  if (made->pidfd_ >= 0 && pid_of(made->pidfd_) != handle->pid) {
    close(made->pidfd_);
    made->pidfd_ = -1;  // every use fails then, and the session ends with the report
  }
  std::string status = "/proc/" + std::to_string(handle->pid) + "/status";
  made->status_ = open(status.c_str(), O_RDONLY | O_CLOEXEC);
  if (clock_getcpuclockid(handle->pid, &made->cpu_clock_) != 0) made->cpu_clock_ = 0;
  shared->control.close_descriptor();
  return made;
}

runner_process::~runner_process() {
  end();
  if (pidfd_ >= 0) close(pidfd_);
  if (status_ >= 0) close(status_);
}

const process_report& runner_process::end() {
  if (alive()) host_.cancel(id_);
  std::unique_lock lock(ended_->mutex);
  ended_->arrived.wait(lock, [this] { return ended_->report.has_value(); });
  return *ended_->report;
}

runner_process::reply runner_process::wait_done(uint32_t value, runner_clock::time_point deadline, waiting how) {
  if (how == waiting::spin) {
    auto until = std::min(deadline, runner_clock::now() + look_again);
    while (alive() && runner_clock::now() < until)
      for (int look = 0; look < looks_at_once; ++look) {
        if (page_->done.load(std::memory_order_acquire) == value) return reply::done;
        pause_cpu();
      }
  }
  for (;;) {
    uint32_t seen = page_->done.load(std::memory_order_acquire);
    if (seen == value) return reply::done;
    if (!alive()) return reply::dead;
    pollfd death{pidfd_, POLLIN, 0};
    if (poll(&death, 1, 0) > 0) return reply::dead;
    auto left = deadline - runner_clock::now();
    if (left <= left.zero()) return reply::timed_out;
    futex_wait(page_->done, seen, std::min<runner_clock::duration>(left, look_again));
  }
}

runner_process::reply runner_process::exchange(runner_clock::time_point deadline, waiting how) {
  if (++batch_ == runner_page::ready) batch_ = 1;
  page_->go.store(batch_, std::memory_order_release);
  futex_wake(page_->go);
  return wait_done(batch_, deadline, how);
}

bool runner_process::freeze() {
  send(pidfd_, SIGSTOP);
  siginfo_t what{};
  int got = 0;
  // WNOWAIT: reaping is the host's affair.
  while ((got = waitid(P_PIDFD, static_cast<id_t>(pidfd_), &what, WSTOPPED | WEXITED | WNOWAIT)) < 0 &&
         errno == EINTR) {
  }
  frozen_ = got == 0 && what.si_code == CLD_STOPPED;
  return frozen_;
}

void runner_process::thaw() {
  if (frozen_) send(pidfd_, SIGCONT);
  frozen_ = false;
}

namespace {

uint64_t number_in_status(int status, const char* name) {
  char text[4096];
  ssize_t got = pread(status, text, sizeof text - 1, 0);
  if (got <= 0) return 0;
  text[got] = '\0';
  // The process may give itself a name that looks like a line; new lines in it are escaped.
  std::string line = "\n" + std::string(name) + ":";
  const char* at = strstr(text, line.c_str());
  return at ? strtoull(at + line.size(), nullptr, 10) : 0;
}

}  // namespace

uint64_t runner_process::status_number(const char* name) const { return number_in_status(status_, name); }

uint64_t runner_process::involuntary_switches() const { return status_number("nonvoluntary_ctxt_switches"); }

unsigned runner_process::filters() const {
  if (status_number("NoNewPrivs") != 1) return 0;
  return static_cast<unsigned>(status_number("Seccomp_filters"));
}

unsigned runner_process::filters_of_this_program() {
  int status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (status < 0) return 0;
  auto filters = static_cast<unsigned>(number_in_status(status, "Seccomp_filters"));
  close(status);
  return filters;
}

double runner_process::cpu_seconds() const {
  timespec time{};
  if (cpu_clock_ == 0 || clock_gettime(cpu_clock_, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void runner_process::count() {
  // Without them a batch has its time, as everywhere; doctor says why.
  if (auto opened = hardware_counters::open(pid_)) counters_.emplace(std::move(*opened));
}

std::optional<batch_counters> runner_process::counted() const {
  if (!counters_) return std::nullopt;
  auto values = counters_->read();
  return batch_counters{values[0], values[1], values[2]};
}

result<unit> runner_process::move_to(std::span<const int> cpus) {
  if (!alive()) return error{errc::not_found, "the runner process has ended"};
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus)
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  std::error_code failed;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/task", failed))
    if (sched_setaffinity(atoi(task.path().filename().c_str()), sizeof set, &set) != 0)
      return error{errc::io, std::string("the runner cannot be moved to other CPUs: ") + strerror(errno)};
  if (failed) return error{errc::io, "the runner's threads cannot be listed: " + failed.message()};
  return unit{};
}

}  // namespace kope
