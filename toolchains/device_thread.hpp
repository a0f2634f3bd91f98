// Threads for blocking work on a device: verification and timing loops. Workers post a job and get a message when it
// ended; nothing of it runs on a shared scheduler thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace kope {

/// Asked by a job between batches; set by whoever cancels it.
using cancel_flag = std::shared_ptr<std::atomic<bool>>;

class device_threads {
public:
  /// `threads`: one for each slot that the core ledger may grant. The queue is bounded by the tickets in flight.
  explicit device_threads(size_t threads);
  ~device_threads();  ///< stop()
  device_threads(const device_threads&) = delete;
  device_threads& operator=(const device_threads&) = delete;

  /// Lets running jobs end (their cancel flags are set first), drops queued ones. Not on a device thread. Who owns the
  /// threads calls it before letting go: a job may hold the last reference to them, and no thread can wait for itself.
  void stop();

  /// Any thread; after stop() the job never runs. The job gets its flag; it must return soon after the flag is set and
  /// must not throw.
  cancel_flag post(std::function<void(const cancel_flag&)> job);

private:
  void loop();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::pair<std::function<void(const cancel_flag&)>, cancel_flag>> queue_;
  std::vector<cancel_flag> running_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kope
