#include "toolchains/process.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "toolchains/child_sandbox.hpp"
#include "toolchains/child_start.hpp"
#include "toolchains/process_tree.hpp"
#include "toolchains/readable_text.hpp"

namespace kope {
namespace {

using clock = std::chrono::steady_clock;

// What one read takes from a child's output: a pipe holds 64 KiB.
constexpr size_t read_bytes = 64 << 10;
// Reads from one child before the others get a turn: a child that only prints must not starve deadlines.
constexpr int reads_max = 4;

struct child {
  process_id id = 0;
  started_child started;
  int pipe = -1;
  std::function<void(process_report)> done;
  std::string output;
  size_t output_bytes_max = 0;
  bool output_cut = false;
  clock::time_point begun;
  clock::time_point deadline = clock::time_point::max();
  std::optional<process_end> ended_by_us;
  size_t list_line = 0;
  uint64_t own_peak_bytes = 0;
};

uint64_t own_peak_bytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<uint64_t>(use.ru_maxrss) << 10;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

struct process_host::impl {
  impl(std::string where, process_isolation isolation, sandbox_defences defences)
    : scratch(std::move(where)), wanted(isolation), active(defences) {
    std::error_code failed;
    std::filesystem::create_directories(scratch, failed);
    scratch = std::filesystem::absolute(scratch).string();
    list.emplace(scratch);
    sandbox.emplace(scratch, list->host(), defences);
    poll = epoll_create1(EPOLL_CLOEXEC);
    wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    check(poll >= 0 && wake >= 0, "no descriptors for the process host");
    watch(wake, 0);
    std::promise<void> probed;
    auto ready = probed.get_future();
    thread = std::thread([this, &probed] {
      // Signals are main's affair; a handler must never run here between clone and exec.
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, nullptr);
      probe();
      sandbox->probe(launcher, hold);
      probed.set_value();
      loop();
    });
    ready.wait();
  }

  ~impl() {
    post([this] { stopping = true; });
    thread.join();
    close(wake);
    close(poll);
  }

  // ---- any thread

  void post(std::function<void()> what) {
    {
      std::lock_guard lock(mutex);
      posted.push_back(std::move(what));
    }
    uint64_t one = 1;
    [[maybe_unused]] ssize_t wrote = write(wake, &one, sizeof one);  // a full counter has woken us already
  }

  result<process_handle> start(const process_request& request, std::function<void(process_report)> done) {
    // A callback may start the next child; waiting for our own thread would hang.
    if (std::this_thread::get_id() == thread.get_id()) return launch(request, std::move(done));
    std::promise<result<process_handle>> promise;
    auto answer = promise.get_future();
    post([&] { promise.set_value(launch(request, std::move(done))); });
    return answer.get();
  }

  // ---- host's thread only, from here on

  void watch(int fd, uint64_t tag) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = tag;
    check(epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) == 0, "epoll cannot watch a descriptor");
  }

  // Really starts a child at each level, strongest first: permissions, seccomp filters and sysctls all have a say.
  void probe() {
    if (wanted == process_isolation::process_group) return;
    for (auto level : {child_hold::pid_namespace, child_hold::user_and_pid_namespace}) {
      auto program = probe_program();
      if (!program) return;
      child_start what;
      what.program = *program;
      what.arguments = {"true"};
      int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
      what.output = null;
      auto started = launcher.start(what, level);
      close(null);
      if (!started) continue;
      int status = -1;
      while (waitpid(started->pid, &status, 0) < 0 && errno == EINTR) {
      }
      close(started->pidfd);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        hold = level;
        return;
      }
    }
  }

  result<process_handle> launch(const process_request& request, std::function<void(process_report)> done) {
    auto started = try_launch(request, std::move(done));
    if (!started) note([](process_counts& counts) { ++counts.refused; });
    return started;
  }

  result<process_handle> try_launch(const process_request& request, std::function<void(process_report)> done) {
    if (stopping) return error{errc::cancelled, "no child is started any more: the program is ending"};
    if (request.arguments.empty()) return error{errc::invalid_input, "a child needs at least a program to run"};
    if (children.size() >= children_max)
      return error{errc::busy, "already " + std::to_string(children_max) + " children run: wait for one to end"};
    auto program = find_program(request.arguments[0]);
    if (!program) return program.failure();

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return error{errc::io, std::string("cannot make a pipe: ") + strerror(errno)};
    fcntl(ends[0], F_SETFL, O_NONBLOCK);  // our end alone: the child's must block as usual

    auto one = std::make_unique<child>();
    one->id = ++last_id;
    child_start what;
    what.program = *program;
    what.arguments = request.arguments;
    what.environment = request.environment;
    what.environment.push_back(scratch_marker(scratch));
    what.environment.push_back(child_marker(list->host(), one->id));
    what.directory = request.directory;
    what.descriptors = request.descriptors;
    what.output = ends[1];
    what.limits = request.limits;
    what.cpus = request.cpus;
    what.urgent = request.urgent;
    what.limited = active.limits;
    what.dies_with_us = active.death_signal;
    one->own_peak_bytes = own_peak_bytes();
    auto confined = sandbox->prepare(request, one->id, what);
    if (!confined) {
      close(ends[0]);
      close(ends[1]);
      return confined.failure();
    }
    auto started = launcher.start(what, hold);
    close(ends[1]);
    if (!started) {
      close(ends[0]);
      return started.failure();
    }
    one->started = *started;
    one->pipe = ends[0];
    one->done = std::move(done);
    one->output_bytes_max = request.limits.output_bytes;
    one->begun = clock::now();
    if (request.limits.wall.count() > 0) one->deadline = one->begun + request.limits.wall;
    one->list_line = list->add(started->pid);
    watch(one->pipe, one->id << 1);
    watch(one->started.pidfd, one->id << 1 | 1);
    process_handle handle{one->id, started->pid, started->pidfd};
    children.emplace(one->id, std::move(one));
    note([](process_counts& counts) { ++counts.started, ++counts.running; });
    return handle;
  }

  void cancel(process_id id) {
    auto found = children.find(id);
    if (found != children.end()) kill_child(*found->second, process_end::cancelled);
  }

  void kill_child(child& one, process_end why) {
    // One that has ended already keeps its own end, though its report is still to come.
    pollfd ended{one.started.pidfd, POLLIN, 0};
    if (one.ended_by_us || ::poll(&ended, 1, 0) > 0) return;
    one.ended_by_us = why;
    one.deadline = clock::time_point::max();
    kill_tree(one);
    note([&](process_counts& counts) { ++(why == process_end::timed_out ? counts.timed_out : counts.killed); });
  }

  // The direct child is not reaped yet, so neither its pid nor its group's can be another's.
  void kill_tree(child& one) {
    syscall(SYS_pidfd_send_signal, one.started.pidfd, SIGKILL, nullptr, 0);
    if (hold != child_hold::process_group) return;  // the kernel kills a namespace with its first process
    kill(-one.started.pid, SIGKILL);
    kill_marked(child_marker(list->host(), one.id));  // those that made a session of their own
  }

  void drain(child& one, int reads) {
    for (int i = 0; (reads == 0 || i < reads) && one.pipe >= 0; ++i) {
      ssize_t got = read(one.pipe, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) {
        close(one.pipe);
        one.pipe = -1;
        return;
      }
      size_t room = one.output_bytes_max - std::min(one.output_bytes_max, one.output.size());
      one.output.append(buffer.data(), std::min(room, static_cast<size_t>(got)));
      if (static_cast<size_t>(got) > room) one.output_cut = true;
    }
  }

  void finish(child& one) {
    if (hold == child_hold::process_group) kill_tree(one);
    int status = 0;
    rusage use{};
    while (wait4(one.started.pid, &status, 0, &use) < 0 && errno == EINTR) {
    }
    drain(one, 0);  // every writer is dead: this ends
    if (one.pipe >= 0) close(one.pipe);
    close(one.started.pidfd);
    list->remove(one.list_line);

    process_report report;
    report.wall_seconds = std::chrono::duration<double>(clock::now() - one.begun).count();
    report.cpu_seconds = seconds(use.ru_utime) + seconds(use.ru_stime);
    uint64_t peak = static_cast<uint64_t>(use.ru_maxrss) << 10;
    report.peak_bytes = peak > one.own_peak_bytes ? peak : 0;
    report.end = WIFSIGNALED(status) ? process_end::signalled : process_end::exited;
    report.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    if (one.ended_by_us) report.end = *one.ended_by_us;
    report.output = readable_text(one.output, one.output_bytes_max);
    report.output_cut = one.output_cut;
    auto done = std::move(one.done);
    children.erase(one.id);
    note([](process_counts& counts) { --counts.running; });
    if (done) done(std::move(report));
  }

  int wait_ms() const {
    auto next = clock::time_point::max();
    for (const auto& [id, one] : children) next = std::min(next, one->deadline);
    if (next == clock::time_point::max()) return -1;
    auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
  }

  void run_posted() {
    uint64_t count = 0;
    [[maybe_unused]] ssize_t got = read(wake, &count, sizeof count);
    std::deque<std::function<void()>> now;
    {
      std::lock_guard lock(mutex);
      now.swap(posted);
    }
    for (auto& what : now) what();
  }

  void loop() {
    std::vector<epoll_event> events(64);
    while (!stopping || !children.empty()) {
      int count = epoll_wait(poll, events.data(), static_cast<int>(events.size()), wait_ms());
      for (int i = 0; i < count; ++i) {
        uint64_t tag = events[static_cast<size_t>(i)].data.u64;
        if (tag == 0) {
          run_posted();
          continue;
        }
        auto found = children.find(tag >> 1);
        if (found == children.end()) continue;  // ended by an earlier event of this round
        if (tag & 1)
          finish(*found->second);
        else
          drain(*found->second, reads_max);
      }
      auto now = clock::now();
      for (auto& [id, one] : children) {
        if (stopping) kill_child(*one, process_end::cancelled);
        if (one->deadline <= now) kill_child(*one, process_end::timed_out);
      }
    }
  }

  void note(const std::function<void(process_counts&)>& change) {
    std::lock_guard lock(mutex);
    change(counted);
  }

  std::string scratch;
  const process_isolation wanted;
  const sandbox_defences active;
  child_hold hold = child_hold::process_group;
  child_launcher launcher;
  std::optional<child_list> list;
  std::optional<child_sandbox> sandbox;
  std::unordered_map<process_id, std::unique_ptr<child>> children;
  process_id last_id = 0;
  bool stopping = false;
  std::vector<char> buffer = std::vector<char>(read_bytes);
  int poll = -1;
  int wake = -1;

  mutable std::mutex mutex;  // guards the next two
  std::deque<std::function<void()>> posted;
  process_counts counted;

  std::thread thread;
};

process_host::process_host(std::string scratch, process_isolation isolation, sandbox_defences defences)
  : impl_(std::make_unique<impl>(std::move(scratch), isolation, defences)) {}

process_host::~process_host() = default;

result<process_handle> process_host::start(const process_request& request, std::function<void(process_report)> done) {
  return impl_->start(request, std::move(done));
}

void process_host::cancel(process_id id) {
  impl_->post([this, id] { impl_->cancel(id); });
}

result<process_report> process_host::run(const process_request& request) {
  check(std::this_thread::get_id() != impl_->thread.get_id(), "run() would wait for its own thread");
  auto promise = std::make_shared<std::promise<process_report>>();
  auto answer = promise->get_future();
  auto started = start(request, [promise](process_report report) { promise->set_value(std::move(report)); });
  if (!started) return started.failure();
  return answer.get();
}

process_counts process_host::counts() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->counted;
}

bool process_host::has_pid_namespace() const { return impl_->hold != child_hold::process_group; }

const sandbox_report& process_host::sandbox() const { return impl_->sandbox->report(); }

size_t process_host::sweep() { return sweep_children(impl_->scratch); }

}  // namespace kope
