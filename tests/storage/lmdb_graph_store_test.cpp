// What only a store on a disk has: files, locks, other processes.
#include "storage/lmdb_graph_store.hpp"

#include <gtest/gtest.h>
#include <regex.h>
#include <sys/resource.h>

#include <fstream>
#include <random>

#include "storage/graph_keys.hpp"
#include "storage/lmdb_tables.hpp"
#include "tests/storage/forked.hpp"
#include "tests/storage/graph_records.hpp"
#include "tests/storage/scratch_directory.hpp"

namespace kope::testing {
namespace {

/// POSIX: std::regex does not compile without warnings under the address sanitizer.
bool matches(const std::string& text, const char* pattern) {
  regex_t compiled;
  if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0) throw std::logic_error(pattern);
  bool found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return found;
}

class lmdb_graph_store : public ::testing::Test {
protected:
  std::unique_ptr<graph_store> open(store_access access) {
    auto store = open_lmdb_graph_store(directory_, access);
    if (!store) throw std::runtime_error(store.failure().what);
    return std::move(*store);
  }
  error failure_to_open(store_access access) {
    auto store = open_lmdb_graph_store(directory_, access);
    EXPECT_FALSE(store.ok());
    return store ? error{} : store.failure();
  }
  void write_file(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories(directory_);
    std::ofstream(directory_ + "/" + name, std::ios::binary) << bytes;
  }
  /// One sentence: one line that ends without a second sentence.
  static void expect_one_sentence(const std::string& text) {
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_FALSE(matches(text, "[.!] [A-Z]")) << text;
  }

  scratch_directory scratch_;
  std::string directory_ = scratch_.path("deep/graph");
};

TEST_F(lmdb_graph_store, keeps_everything_over_a_restart_and_counts_incarnations) {
  {
    auto store = open(store_access::write);
    EXPECT_EQ(store->incarnation(), 1u);
    EXPECT_EQ(store->new_exploration_id()->value, 1u);
    commit_batch batch = batch_of({make_outcome(attempt_of_one(1))});
    batch.opened = {make_open(attempt_of_one(2))};
    batch.explorations = {make_exploration(exploration_one, 1)};
    ASSERT_TRUE(store->commit(batch).ok());
  }
  auto store = open(store_access::write);
  EXPECT_EQ(store->incarnation(), 2u);
  auto view = std::move(*store->snapshot());
  EXPECT_EQ(view->step(), 1u);
  EXPECT_EQ(*view->source(content_hash(source_of(attempt_of_one(1)))), source_of(attempt_of_one(1)));
  EXPECT_EQ(view->open_rows()->size(), 1u);
  EXPECT_EQ((*view->exploration(exploration_one))->read()->getSpentAttempts(), 1u);
  EXPECT_EQ(store->new_exploration_id()->value, 2u);
  EXPECT_EQ((*store->commit(batch_of({make_outcome(attempt_of_one(2))})))[0].step, 2u);
  EXPECT_GT(view->counts()->bytes_on_disk, 4096u);
}

TEST_F(lmdb_graph_store, a_second_writer_in_this_process_gets_one_sentence_that_names_the_first) {
  auto first = open(store_access::write);
  auto failure = failure_to_open(store_access::write);
  EXPECT_EQ(failure.code, errc::busy);
  expect_one_sentence(failure.what);
  EXPECT_NE(failure.what.find("pid " + std::to_string(getpid())), std::string::npos) << failure.what;
  EXPECT_TRUE(matches(failure.what, "since [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z")) << failure.what;
  EXPECT_NE(failure.what.find("--data-dir"), std::string::npos) << failure.what;
  first.reset();
  EXPECT_EQ(open(store_access::write)->incarnation(), 2u) << "the refused writer did not count";
}

TEST_F(lmdb_graph_store, a_second_writer_in_another_process_gets_the_same_and_the_lock_ends_with_its_holder) {
  forked first([&](auto say) {
    auto store = open_lmdb_graph_store(directory_, store_access::write);
    say(store.ok());
    pause();
    return 0;
  });
  ASSERT_EQ(first.next(), 1u);
  auto failure = failure_to_open(store_access::write);
  EXPECT_EQ(failure.code, errc::busy);
  EXPECT_NE(failure.what.find("pid " + std::to_string(first.pid())), std::string::npos) << failure.what;
  first.kill();
  EXPECT_EQ(open(store_access::write)->incarnation(), 2u);
}

TEST_F(lmdb_graph_store, a_child_that_was_forked_meanwhile_does_not_keep_the_lock) {
  auto store = open(store_access::write);
  forked child([](auto say) {
    say(1);
    pause();
    return 0;
  });
  ASSERT_EQ(child.next(), 1u);
  store.reset();
  EXPECT_EQ(open(store_access::write)->incarnation(), 2u);
}

TEST_F(lmdb_graph_store, a_lock_that_a_program_left_behind_holds_nobody_up) {
  write_file("writer.lock", "program kope\npid 1\nsince 2001-01-01T00:00:00Z\n");
  EXPECT_EQ(open(store_access::write)->incarnation(), 1u);
  EXPECT_EQ(std::filesystem::file_size(directory_ + "/writer.lock"), 0u) << "the text is gone with its writer";
}

TEST_F(lmdb_graph_store, a_reader_sees_what_a_writer_beside_it_commits) {
  auto writer = open(store_access::write);
  forked reader([&](auto say) {
    auto store = open_lmdb_graph_store(directory_, store_access::read);
    if (!store) return 1;
    say((*store)->incarnation());
    // Each time the writer has committed, it shows in a snapshot sooner or later; then ask for the next.
    for (uint64_t seen = 0; seen < 3;) {
      auto view = (*store)->snapshot();
      if (!view) return 2;
      if ((*view)->step() > seen) say(seen = (*view)->step());
    }
    return 0;
  });
  EXPECT_EQ(reader.next(), 0u) << "a reader has no incarnation";
  for (uint32_t n = 1; n <= 3; ++n) {
    ASSERT_TRUE(writer->commit(batch_of({make_outcome(attempt_of_one(n))})).ok());
    EXPECT_EQ(reader.next(), n);
  }
  EXPECT_EQ(reader.wait(), 0);
}

TEST_F(lmdb_graph_store, a_reader_in_the_writers_process_shares_it_and_may_stay_longer) {
  auto writer = open(store_access::write);
  auto reader = open(store_access::read);
  ASSERT_TRUE(writer->commit(batch_of({make_outcome(attempt_of_one(1))})).ok());
  auto before = std::move(*reader->snapshot());
  writer.reset();
  writer = open(store_access::write);
  ASSERT_TRUE(writer->commit(batch_of({make_outcome(attempt_of_one(2))})).ok());
  EXPECT_EQ(before->step(), 1u);
  EXPECT_EQ((*reader->snapshot())->step(), 2u);
}

TEST_F(lmdb_graph_store, closing_one_of_two_in_a_process_leaves_the_others_snapshot_whole) {
  auto writer = open(store_access::write);
  ASSERT_TRUE(writer->commit(batch_of({make_outcome(attempt_of_one(1))})).ok());
  writer.reset();
  auto reader = open(store_access::read);
  auto view = std::move(*reader->snapshot());
  open(store_access::read).reset();
  forked other([&](auto) {
    auto store = open_lmdb_graph_store(directory_, store_access::write);
    for (uint32_t n = 2; n < 200; ++n)
      if (!store || !(*store)->commit(batch_of({make_outcome(attempt_of_one(n))}))) return 1;
    return 0;
  });
  EXPECT_EQ(other.wait(), 0);
  EXPECT_EQ(view->newest_attempts(exploration_one, 10)->size(), 1u);
  EXPECT_EQ((*reader->snapshot())->newest_attempts(exploration_one, 500)->size(), 199u);
}

TEST_F(lmdb_graph_store, a_process_that_only_reads_is_told_to_close_before_it_writes) {
  open(store_access::write).reset();
  auto reader = open(store_access::read);
  auto failure = failure_to_open(store_access::write);
  EXPECT_EQ(failure.code, errc::busy);
  expect_one_sentence(failure.what);
  reader.reset();
  EXPECT_EQ(open(store_access::write)->incarnation(), 2u);
}

TEST_F(lmdb_graph_store, a_reader_refuses_to_write) {
  open(store_access::write).reset();
  auto reader = open(store_access::read);
  EXPECT_EQ(reader->commit(batch_of({make_outcome(attempt_of_one(1))})).failure().code, errc::invalid_input);
  EXPECT_EQ(reader->new_exploration_id().failure().code, errc::invalid_input);
}

TEST_F(lmdb_graph_store, a_reader_of_no_store_gets_one_sentence_and_makes_nothing) {
  for (bool with_directory : {false, true}) {
    if (with_directory) std::filesystem::create_directories(directory_);
    auto failure = failure_to_open(store_access::read);
    EXPECT_EQ(failure.code, errc::not_found);
    expect_one_sentence(failure.what);
    EXPECT_NE(failure.what.find(directory_), std::string::npos) << failure.what;
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
  write_file("data.mdb", "");
  EXPECT_EQ(failure_to_open(store_access::read).code, errc::not_found);
}

TEST_F(lmdb_graph_store, a_database_without_a_graph_is_not_a_store_yet) {
  ASSERT_TRUE(open_lmdb_tables(directory_, table_access::write).ok());
  EXPECT_EQ(failure_to_open(store_access::read).code, errc::not_found);
}

TEST_F(lmdb_graph_store, a_file_that_is_no_database_is_refused_and_left_alone) {
  for (auto& garbage : {std::string(10000, 'g'), std::string("short"), std::string(10000, '\0')}) {
    write_file("data.mdb", garbage);
    for (auto access : {store_access::read, store_access::write}) {
      auto failure = failure_to_open(access);
      EXPECT_EQ(failure.code, errc::invalid_input) << failure.what;
      expect_one_sentence(failure.what);
      EXPECT_NE(failure.what.find(directory_), std::string::npos) << failure.what;
    }
    EXPECT_EQ(std::filesystem::file_size(directory_ + "/data.mdb"), garbage.size());
  }
}

TEST_F(lmdb_graph_store, a_database_that_was_cut_off_is_refused) {
  {
    auto store = open(store_access::write);
    std::string text(8 << 20, 'x');
    std::mt19937 random(1);
    for (auto& byte : text) byte = static_cast<char>(random());  // does not compress
    commit_batch batch;
    batch.sources = {text};
    ASSERT_TRUE(store->commit(batch).ok());
  }
  std::filesystem::resize_file(directory_ + "/data.mdb", 1 << 20);
  for (auto access : {store_access::read, store_access::write}) {
    auto failure = failure_to_open(access);
    EXPECT_EQ(failure.code, errc::invalid_input);
    EXPECT_NE(failure.what.find("cut off"), std::string::npos) << failure.what;
  }
}

TEST_F(lmdb_graph_store, a_store_of_a_newer_format_is_refused_and_left_alone) {
  {
    auto tables = std::move(*open_lmdb_tables(directory_, table_access::write));
    auto writer = std::move(*tables->begin_write());
    ASSERT_TRUE(writer->put(table::meta, graph_keys::format_row, graph_keys::number32(7)).ok());
    ASSERT_TRUE(writer->commit().ok());
  }
  for (auto access : {store_access::read, store_access::write}) {
    auto failure = failure_to_open(access);
    EXPECT_EQ(failure.code, errc::invalid_input);
    expect_one_sentence(failure.what);
    EXPECT_NE(failure.what.find("format 7"), std::string::npos) << failure.what;
  }
}

TEST_F(lmdb_graph_store, a_place_that_cannot_be_written_is_one_sentence) {
  write_file("file", "x");
  directory_ += "/file/below";
  auto failure = failure_to_open(store_access::write);
  EXPECT_EQ(failure.code, errc::io);
  expect_one_sentence(failure.what);
}

TEST_F(lmdb_graph_store, little_address_space_is_enough_and_too_little_is_one_sentence) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the address sanitizer itself takes more address space than this test allows";
#endif
  auto with_address_space = [&](size_t bytes) {
    return forked([&, bytes](auto say) {
      rlimit limit{bytes, bytes};
      if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
      auto store = open_lmdb_graph_store(directory_, store_access::write);
      say(store.ok());
      if (!store) return store.failure().what.find("ulimit -v") != std::string::npos ? 0 : 2;
      return (*store)->commit(batch_of({make_outcome(attempt_of_one(1))})) ? 0 : 3;
    });
  };
  auto enough = with_address_space(size_t{12} << 30);
  EXPECT_EQ(enough.next(), 1u);
  EXPECT_EQ(enough.wait(), 0);
  auto too_little = with_address_space(size_t{512} << 20);
  EXPECT_EQ(too_little.next(), 0u);
  EXPECT_EQ(too_little.wait(), 0);
}

}  // namespace
}  // namespace kope::testing
