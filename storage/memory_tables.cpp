#include "storage/memory_tables.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

namespace kope {
namespace {

using rows_of_table = std::map<std::string, std::string, std::less<>>;
using all_tables = std::array<std::shared_ptr<rows_of_table>, table_count>;

rows_of_table& rows_in(const all_tables& all, table which) { return *all[static_cast<size_t>(which)]; }

std::optional<std::string_view> get_in(const all_tables& all, table which, std::string_view key) {
  auto& rows = rows_in(all, which);
  auto row = rows.find(key);
  if (row == rows.end()) return std::nullopt;
  return std::string_view(row->second);
}

void scan_in(const all_tables& all, table which, const key_range& range, scan_order order, const row_visitor& visit) {
  auto& rows = rows_in(all, which);
  if (!range.last.empty() && range.first > range.last) return;
  auto begin = range.first.empty() ? rows.begin() : rows.lower_bound(range.first);
  auto end = range.last.empty() ? rows.end() : rows.upper_bound(range.last);
  if (order == scan_order::ascending) {
    for (; begin != end; ++begin)
      if (!visit(begin->first, begin->second)) return;
  } else {
    while (end != begin) {
      --end;
      if (!visit(end->first, end->second)) return;
    }
  }
}

class memory_reader final : public table_reader {
public:
  explicit memory_reader(all_tables all) : all_(std::move(all)) {}
  result<std::optional<std::string_view>> get(table which, std::string_view key) const override {
    return get_in(all_, which, key);
  }
  result<unit> scan(table which, const key_range& range, scan_order order, const row_visitor& visit) const override {
    scan_in(all_, which, range, order, visit);
    return unit{};
  }
  result<uint64_t> rows(table which) const override { return uint64_t{rows_in(all_, which).size()}; }
  uint64_t bytes_on_disk() const override { return 0; }

private:
  all_tables all_;
};

/// Holds the lock for its whole life, so that no reader begins in the middle of a transaction. Changes in place and
/// remembers how to undo.
class memory_writer final : public table_writer {
public:
  memory_writer(all_tables& all, std::mutex& mutex) : lock_(mutex), all_(all) {}
  ~memory_writer() override {
    for (auto change = undo_.rbegin(); change != undo_.rend(); ++change) {
      auto& rows = rows_in(all_, change->which);
      if (change->before) {
        rows[change->key] = std::move(*change->before);
      } else {
        rows.erase(change->key);
      }
    }
  }

  result<std::optional<std::string_view>> get(table which, std::string_view key) const override {
    return get_in(all_, which, key);
  }
  result<unit> scan(table which, const key_range& range, scan_order order, const row_visitor& visit) const override {
    scan_in(all_, which, range, order, visit);
    return unit{};
  }
  result<uint64_t> rows(table which) const override { return uint64_t{rows_in(all_, which).size()}; }
  uint64_t bytes_on_disk() const override { return 0; }

  result<unit> put(table which, std::string_view key, std::string_view value) override {
    auto& rows = owned(which);
    auto [row, added] = rows.try_emplace(std::string(key));
    undo_.push_back({which, row->first, added ? std::nullopt : std::optional(std::move(row->second))});
    row->second = std::string(value);
    return unit{};
  }
  result<unit> erase(table which, std::string_view key) override {
    auto& rows = owned(which);
    auto row = rows.find(key);
    if (row == rows.end()) return unit{};
    undo_.push_back({which, row->first, std::move(row->second)});
    rows.erase(row);
    return unit{};
  }
  result<unit> commit() override {
    undo_.clear();
    return unit{};
  }

private:
  rows_of_table& owned(table which) {
    auto& rows = all_[static_cast<size_t>(which)];
    // No reader can begin while we hold the lock, so a count of one stays one.
    if (rows.use_count() > 1) rows = std::make_shared<rows_of_table>(*rows);
    std::atomic_thread_fence(std::memory_order_acquire);  // after the reads of the reader that let go last
    return *rows;
  }

  struct change {
    table which;
    std::string key;
    std::optional<std::string> before;
  };
  std::unique_lock<std::mutex> lock_;
  all_tables& all_;
  std::vector<change> undo_;
};

class memory_tables final : public tables {
public:
  memory_tables() {
    for (auto& rows : all_) rows = std::make_shared<rows_of_table>();
  }
  result<std::unique_ptr<table_writer>> begin_write() override {
    return std::unique_ptr<table_writer>(std::make_unique<memory_writer>(all_, mutex_));
  }
  result<std::unique_ptr<table_reader>> begin_read() const override {
    std::lock_guard lock(mutex_);
    return std::unique_ptr<table_reader>(std::make_unique<memory_reader>(all_));
  }
  std::string place() const override { return "store in memory"; }

private:
  mutable std::mutex mutex_;
  all_tables all_;
};

}  // namespace

std::unique_ptr<tables> make_memory_tables() { return std::make_unique<memory_tables>(); }

}  // namespace kope
