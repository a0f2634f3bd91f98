#include "toolchains/device_thread.hpp"

#include <algorithm>

#include "messages/result.hpp"

namespace kope {

device_threads::device_threads(size_t threads) {
  check(threads > 0, "device threads: at least one is needed");
  threads_.reserve(threads);
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { loop(); });
}

device_threads::~device_threads() { stop(); }

void device_threads::stop() {
  decltype(queue_) dropped;  // what jobs captured is released outside the lock
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(queue_);
    for (auto& flag : running_) flag->store(true);
  }
  wake_.notify_all();
  for (auto& thread : threads_)
    if (thread.joinable()) thread.join();
}

cancel_flag device_threads::post(std::function<void(const cancel_flag&)> job) {
  auto flag = std::make_shared<std::atomic<bool>>(false);
  {
    std::lock_guard lock(mutex_);
    queue_.emplace_back(std::move(job), flag);
  }
  wake_.notify_one();
  return flag;
}

void device_threads::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    auto [job, flag] = std::move(queue_.front());
    queue_.pop_front();
    running_.push_back(flag);
    lock.unlock();
    // A job cancelled while it waited still runs: it owes its worker the message that it ended.
    job(flag);
    job = nullptr;  // what it captured is released outside the lock
    lock.lock();
    std::erase(running_, flag);
  }
}

}  // namespace kope
