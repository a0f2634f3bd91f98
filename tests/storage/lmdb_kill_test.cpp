// Processes that are killed while they write or read.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "storage/graph_keys.hpp"
#include "storage/lmdb_graph_store.hpp"
#include "storage/lmdb_tables.hpp"
#include "tests/storage/forked.hpp"
#include "tests/storage/graph_records.hpp"
#include "tests/storage/scratch_directory.hpp"

namespace kope::testing {
namespace {

/// Writes batch after batch until it is killed, saying the last number of each acknowledged batch. It begins by
/// sending the five before `from` once more, as a program does that was killed before it heard the acknowledgement.
template <class Say>
int write_until_killed(const std::string& directory, uint32_t from, unsigned seed, Say&& say) {
  auto store = open_lmdb_graph_store(directory, store_access::write);
  if (!store) return 1;
  std::mt19937 random(seed);
  for (uint32_t next = from > 5 ? from - 5 : 1;;) {
    commit_batch batch;
    batch.explorations = {make_exploration(exploration_one, next)};
    uint32_t last = next + random() % 20;
    for (; next <= last; ++next) {
      batch.outcomes.push_back(make_outcome(attempt_of_one(next), [&](auto root) {
        if (next > 1) root.getAttempt().setParent(attempt_of_one(next / 2).text());
      }));
      batch.opened.push_back(make_open(attempt_of_one(next + 20)));
    }
    if (!(*store)->commit(batch)) return 2;
    say(last);
  }
}

TEST(lmdb_kill, a_writer_killed_at_random_moments_loses_nothing_acknowledged_and_doubles_nothing) {
  scratch_directory scratch;
  auto directory = scratch.path("graph");
  std::mt19937 random(std::random_device{}());
  uint64_t before = 0;
  for (uint32_t round = 1; round <= 10; ++round) {
    uint64_t acknowledged = before;
    {
      forked writer(
          [&](auto say) { return write_until_killed(directory, static_cast<uint32_t>(before) + 1, round, say); });
      for (auto acks = 1 + random() % 30; acks > 0; --acks) {
        auto last = writer.next();
        ASSERT_TRUE(last.has_value()) << "the writer ended by itself with " << writer.wait();
        acknowledged = *last;
      }
      // Somewhere within the next commit: one takes about a millisecond.
      auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 1500);
      while (std::chrono::steady_clock::now() < until) {
      }
      writer.kill();
      while (auto last = writer.next()) acknowledged = *last;
    }
    auto store = open_lmdb_graph_store(directory, store_access::write);
    ASSERT_TRUE(store.ok()) << store.failure().what;
    EXPECT_EQ((*store)->incarnation(), 2 * round);
    auto view = std::move(*(*store)->snapshot());
    auto attempts = view->attempts_after(exploration_one, 0, SIZE_MAX);
    ASSERT_TRUE(attempts.ok()) << attempts.failure().what;
    ASSERT_GE(attempts->size(), acknowledged) << "acknowledged attempts are lost";
    for (size_t i = 0; i < attempts->size(); ++i) {
      auto& record = (*attempts)[i];
      ASSERT_EQ(record.read()->getStep(), static_cast<double>(i + 1));
      ASSERT_EQ(id_of(record), attempt_of_one(static_cast<uint32_t>(i + 1)).text());
      ASSERT_EQ(*view->source(hash_of(record)), source_of(attempt_of_one(static_cast<uint32_t>(i + 1))));
    }
    auto counts = *view->counts();
    EXPECT_EQ(view->step(), attempts->size());
    EXPECT_EQ(counts.attempts, attempts->size());
    EXPECT_EQ(counts.sources, attempts->size());
    EXPECT_EQ(counts.edges, attempts->size() - 1);
    // Each attempt opened the one twenty later; the first twenty were never open.
    EXPECT_EQ(counts.open, std::min<size_t>(20, attempts->size()));
    before = attempts->size();
  }
}

TEST(lmdb_kill, two_hundred_killed_readers_leave_reader_table_and_file_bounded) {
  scratch_directory scratch;
  auto directory = scratch.path("graph");
  auto tables = std::shared_ptr(std::move(*open_lmdb_tables(directory, table_access::write)));
  auto store = std::move(*open_graph_on_tables(tables, store_access::write));
  std::string noise(64 << 10, '\0');
  std::mt19937 random(11);
  uint32_t commits = 0;
  // Rewrites the exploration's 64 KiB over and over: without readers, pages are used again and the file stays small.
  auto churn = [&](uint32_t times) {
    for (uint32_t i = 0; i < times; ++i) {
      for (size_t at = 0; at < noise.size(); at += 64) noise[at] = static_cast<char>(random());
      auto row = exploration_row::build([&](auto root) {
        root.setId(exploration_one.text());
        root.setSpentAttempts(++commits);
        root.setPolicySnapshot({reinterpret_cast<const kj::byte*>(noise.data()), noise.size()});
      });
      commit_batch batch;
      batch.explorations = {row};
      ASSERT_TRUE(store->commit(batch).ok());
    }
  };
  churn(50);
  for (int killed = 0; killed < 200; ++killed) {
    forked reader([&](auto say) {
      auto own = open_lmdb_graph_store(directory, store_access::read);
      if (!own) return 1;
      auto view = (*own)->snapshot();
      if (!view) return 2;
      say((*view)->exploration(exploration_one)->has_value());
      pause();
      return 0;
    });
    ASSERT_EQ(reader.next(), 1u);
    reader.kill();
    if (killed % 5 == 0) churn(8);
  }
  // Each reader clears what the dead before it left: one slot at a time, and one for an attempt to clear in between.
  EXPECT_LE(tables->reader_slots(), 4u);
  // 370 rewrites of 64 KiB are 24 MiB; readers pin at most a few of them at once.
  EXPECT_LT((*store->snapshot())->counts()->bytes_on_disk, size_t{4} << 20);
}

TEST(lmdb_kill, a_writer_clears_dead_readers_without_anybody_opening) {
  scratch_directory scratch;
  auto directory = scratch.path("graph");
  auto store = std::move(*open_lmdb_graph_store(directory, store_access::write));
  auto commit = [&](uint32_t n) {
    commit_batch batch;
    batch.explorations = {make_exploration(exploration_one, n)};
    batch.sources = {std::string(30000, static_cast<char>('a' + n % 26)) + std::to_string(n)};
    ASSERT_TRUE(store->commit(batch).ok());
  };
  commit(0);
  forked reader([&](auto say) {
    auto own = open_lmdb_graph_store(directory, store_access::read);
    auto view = (*own)->snapshot();
    say(view.ok());
    pause();
    return 0;
  });
  ASSERT_EQ(reader.next(), 1u);
  reader.kill();
  auto size = [&] { return (*store->snapshot())->counts()->bytes_on_disk; };
  for (uint32_t n = 1; n <= 600; ++n) commit(n);  // two checks are behind us
  auto after_checks = size();
  for (uint32_t n = 601; n <= 1200; ++n) commit(n);
  // From now on freed pages are used again: the second half may grow by what it stores, not by every page it touches.
  EXPECT_LT(size() - after_checks, after_checks / 2);
}

}  // namespace
}  // namespace kope::testing
