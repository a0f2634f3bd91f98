// A store on a disk of 4 MiB. Needs the right to mount.
#include <gtest/gtest.h>

#include "storage/lmdb_graph_store.hpp"
#include "tests/storage/graph_records.hpp"
#include "tests/storage/scratch_directory.hpp"
#include "tests/support/small_disk.hpp"

namespace kope::testing {
namespace {

/// An outcome with about 50 KiB that do not compress.
outcome large_outcome(uint32_t number) {
  return make_outcome(attempt_of_one(number), [&](auto root) {
    std::string source(50000, '\0');
    uint64_t state = number;
    for (auto& byte : source) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      byte = static_cast<char>('!' + (state >> 33) % 90);
    }
    root.setSource(source);
    root.getAttempt().setSourceHash(content_hash(source));
  });
}

TEST(lmdb_disk_full, refuses_without_a_trace_and_goes_on_when_there_is_room) {
  scratch_directory scratch;
  small_disk disk(scratch.path("disk"));
  SKIP_WITHOUT_MOUNT(disk);
  auto directory = scratch.path("disk/graph");
  auto store = std::move(*open_lmdb_graph_store(directory, store_access::write));
  uint32_t stored = 0;
  result<std::vector<outcome_receipt>> receipts = std::vector<outcome_receipt>();
  while ((receipts = store->commit(batch_of({large_outcome(stored + 1)}))) && stored < 1000) ++stored;
  ASSERT_GT(stored, 10u);
  ASSERT_FALSE(receipts.ok());
  EXPECT_EQ(receipts.failure().code, errc::disk_full) << receipts.failure().what;
  for (int again = 0; again < 3; ++again)
    EXPECT_EQ(store->commit(batch_of({large_outcome(stored + 1)})).failure().code, errc::disk_full);

  auto expect_whole = [&](const graph_snapshot& view, uint32_t attempts) {
    EXPECT_EQ(view.step(), attempts);
    EXPECT_EQ(view.counts()->attempts, attempts);
    EXPECT_EQ(view.counts()->sources, attempts);
    auto found = view.newest_attempts(exploration_one, 1000);
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(found->size(), attempts);
    for (auto& record : *found) EXPECT_EQ(content_hash(**view.source(hash_of(record))), hash_of(record));
  };
  expect_whole(**store->snapshot(), stored);

  disk.grow();
  for (int more = 0; more < 20; ++more) {
    auto done = store->commit(batch_of({large_outcome(stored + 1)}));
    ASSERT_TRUE(done.ok()) << done.failure().what;
    EXPECT_EQ((*done)[0].step, ++stored);
  }
  store.reset();
  store = std::move(*open_lmdb_graph_store(directory, store_access::write));
  expect_whole(**store->snapshot(), stored);
}

TEST(lmdb_disk_full, many_readers_begin_on_a_disk_without_a_free_page) {
  scratch_directory scratch;
  small_disk disk(scratch.path("disk"));
  SKIP_WITHOUT_MOUNT(disk);
  auto store = std::move(*open_lmdb_graph_store(scratch.path("disk/graph"), store_access::write));
  ASSERT_TRUE(store->commit(batch_of({make_outcome(attempt_of_one(1))})).ok());
  disk.fill();
  std::vector<std::unique_ptr<graph_snapshot>> views;
  for (int reader = 0; reader < 500; ++reader) {  // slots lie in the lock file: a hole there would kill us here
    auto view = store->snapshot();
    ASSERT_TRUE(view.ok()) << view.failure().what;
    views.push_back(std::move(*view));
  }
  EXPECT_EQ(views.back()->newest_attempts(exploration_one, 2)->size(), 1u);
}

TEST(lmdb_disk_full, all_reader_slots_taken_is_busy_and_passes) {
  scratch_directory scratch;
  auto store = std::move(*open_lmdb_graph_store(scratch.path("graph"), store_access::write));
  std::vector<std::unique_ptr<graph_snapshot>> views;
  for (;;) {
    auto view = store->snapshot();
    if (!view) {
      EXPECT_EQ(view.failure().code, errc::busy) << view.failure().what;
      break;
    }
    views.push_back(std::move(*view));
    ASSERT_LT(views.size(), 2000u);
  }
  EXPECT_GE(views.size(), 512u);
  EXPECT_TRUE(store->commit(batch_of({make_outcome(attempt_of_one(1))})).ok()) << "writers need no slot";
  views.pop_back();
  EXPECT_TRUE(store->snapshot().ok());
}

TEST(lmdb_disk_full, a_store_cannot_be_opened_for_writing_but_can_be_read) {
  scratch_directory scratch;
  small_disk disk(scratch.path("disk"));
  SKIP_WITHOUT_MOUNT(disk);
  auto directory = scratch.path("disk/graph");
  open_lmdb_graph_store(directory, store_access::write)->reset();
  disk.fill();
  auto fresh = open_lmdb_graph_store(scratch.path("disk/fresh"), store_access::write);
  ASSERT_FALSE(fresh.ok());
  EXPECT_EQ(fresh.failure().code, errc::disk_full) << fresh.failure().what;
  auto reader = open_lmdb_graph_store(directory, store_access::read);
  ASSERT_TRUE(reader.ok()) << reader.failure().what;
  EXPECT_TRUE((*reader)->snapshot().ok());
}

}  // namespace
}  // namespace kope::testing
