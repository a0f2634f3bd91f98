// Rows that are not as we wrote them: damaged, swapped, hostile or of a newer kope.
#include <gtest/gtest.h>

#include <random>

#include "storage/graph_keys.hpp"
#include "storage/graph_on_tables.hpp"
#include "storage/memory_tables.hpp"
#include "storage/source_text.hpp"
#include "tests/storage/graph_records.hpp"

namespace kope::testing {
namespace {

class damaged_rows : public ::testing::Test {
protected:
  damaged_rows() {
    commit_batch batch = batch_of({make_outcome(attempt_of_one(1)), make_outcome(attempt_of_one(2), [](auto root) {
                                     root.getAttempt().setParent(attempt_of_one(1).text());
                                   })});
    batch.tasks = {make_task("a", "name")};
    batch.opened = {make_open(attempt_of_one(3))};
    batch.explorations = {make_exploration(exploration_one)};
    EXPECT_TRUE(store_->commit(batch).ok());
  }

  std::string row(table which, std::string_view key) {
    auto reader = tables_->begin_read();
    return std::string(**(*reader)->get(which, key));
  }
  void put(table which, std::string_view key, std::string_view value) {
    auto writer = tables_->begin_write();
    EXPECT_TRUE((*writer)->put(which, key, value).ok());
    EXPECT_TRUE((*writer)->commit().ok());
  }
  std::unique_ptr<graph_snapshot> snapshot() { return std::move(*store_->snapshot()); }

  template <class Result>
  void expect_named(const Result& found, std::string_view table, std::string_view key) {
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.failure().code, errc::invalid_input);
    EXPECT_NE(found.failure().what.find("table " + std::string(table)), std::string::npos) << found.failure().what;
    EXPECT_NE(found.failure().what.find("key " + std::string(key)), std::string::npos) << found.failure().what;
  }

  std::shared_ptr<tables> tables_ = make_memory_tables();
  std::unique_ptr<graph_store> store_ = std::move(*open_graph_on_tables(tables_, store_access::write));
  std::string first_ = graph_keys::of(attempt_of_one(1)), second_ = graph_keys::of(attempt_of_one(2));
};

TEST_F(damaged_rows, are_errors_that_name_table_and_key) {
  put(table::attempts, first_, "not a message at all");
  expect_named(snapshot()->attempt(attempt_of_one(1)), "attempts", attempt_of_one(1).text());
  expect_named(snapshot()->newest_attempts(exploration_one, 10), "attempts", attempt_of_one(1).text());
  EXPECT_TRUE(snapshot()->newest_attempts(exploration_one, 1).ok()) << "the newest is intact";
  expect_named(store_->commit(batch_of({make_outcome(attempt_of_one(1))})), "attempts", attempt_of_one(1).text());

  put(table::tasks, graph_keys::of_text("a"), "1234567");
  expect_named(snapshot()->task("a"), "tasks", content_hash("a"));
  put(table::open, graph_keys::of(attempt_of_one(3)), "");
  expect_named(snapshot()->open_rows(), "open", attempt_of_one(3).text());
  put(table::explorations, graph_keys::of(exploration_one), std::string(16, '\xff'));
  expect_named(snapshot()->exploration(exploration_one), "explorations", exploration_one.text());
  expect_named(snapshot()->explorations(10), "explorations", exploration_one.text());

  auto hash = content_hash(source_of(attempt_of_one(1)));
  auto key = *graph_keys::of_source(hash);
  put(table::sources, key, "not zstd");
  expect_named(snapshot()->source(hash), "sources", hash);
  put(table::sources, key, *compress_source("another text"));
  expect_named(snapshot()->source(hash), "sources", hash);

  auto normal = content_hash("normal " + source_of(attempt_of_one(1)));
  put(table::normal, graph_keys::of_normal_hash(exploration_one, normal), "short");
  expect_named(snapshot()->attempt_by_normal_hash(exploration_one, normal), "normal", exploration_one.text());
}

TEST_F(damaged_rows, a_row_under_the_key_of_another_attempt_is_an_error) {
  put(table::attempts, first_, row(table::attempts, second_));
  expect_named(snapshot()->attempt(attempt_of_one(1)), "attempts", attempt_of_one(1).text());
}

TEST_F(damaged_rows, a_timeline_that_names_a_missing_attempt_is_an_error) {
  auto moment = graph_keys::of(graph_keys::timeline_key{exploration_one, 1});
  put(table::timeline, moment, graph_keys::of(attempt_of_one(99)));
  expect_named(snapshot()->attempts_after(exploration_one, 0, 10), "timeline", graph_keys::shown(moment));
  put(table::timeline, moment, "");
  expect_named(snapshot()->attempts_after(exploration_one, 0, 10), "timeline", graph_keys::shown(moment));
}

TEST_F(damaged_rows, a_damaged_clock_stops_reading_and_writing) {
  put(table::meta, graph_keys::step_row, "1");
  expect_named(store_->snapshot(), "meta", "step");
  expect_named(store_->commit(batch_of({make_outcome(attempt_of_one(9))})), "meta", "step");
}

TEST_F(damaged_rows, a_newer_format_is_refused_by_its_number) {
  put(table::meta, graph_keys::format_row, graph_keys::number32(2));
  for (auto access : {store_access::read, store_access::write}) {
    auto opened = open_graph_on_tables(tables_, access);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.failure().code, errc::invalid_input);
    EXPECT_NE(opened.failure().what.find("format 2"), std::string::npos) << opened.failure().what;
  }
}

TEST_F(damaged_rows, an_attempt_with_any_bytes_changed_is_read_or_refused_and_never_crashes) {
  std::mt19937_64 random(20240917);
  auto whole = row(table::attempts, first_);
  size_t refused = 0, read = 0;
  for (int round = 0; round < 20000; ++round) {
    auto bytes = whole;
    switch (random() % 4) {
      case 0:
        bytes.resize(random() % (bytes.size() + 1));
        break;
      case 1:
        bytes.insert(random() % (bytes.size() + 1), 8, static_cast<char>(random()));
        break;
      default:
        break;
    }
    for (auto changes = random() % 6; changes > 0 && !bytes.empty(); --changes) {
      // Pointers are at the front of each struct, so the front half is where damage matters.
      auto where = random() % 2 ? random() % bytes.size() : random() % (bytes.size() / 2 + 1);
      bytes[where] = static_cast<char>(random() % 2 ? random() : bytes[where] ^ (1 << random() % 8));
    }
    auto decoded = attempt_record::from_bytes(std::as_bytes(std::span(bytes)));
    if (!decoded) {
      ++refused;
      continue;
    }
    ++read;
    auto seen = decoded->read();
    size_t touched = seen->getHeader().getAttempt().size() + seen->getDiagnostics().size() +
                     seen->getPromotion().getAgainst().size();
    for (auto parameter : seen->getParameters()) touched += parameter.getMeaning().size();
    for (auto flag : seen->getFlags()) touched += flag.size();
    EXPECT_LE(touched, bytes.size());
    if (round % 50 == 0) {
      put(table::attempts, first_, bytes);
      (void)snapshot()->attempt(attempt_of_one(1));
      (void)snapshot()->newest_attempts(exploration_one, 10);
      (void)store_->commit(batch_of({make_outcome(attempt_of_one(1))}));
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(read, 1000u);
}

TEST(source_text, comes_back_as_it_was) {
  for (auto& text : {std::string(), std::string("a"), std::string(300000, 'x'), std::string("\0\xff", 2)})
    EXPECT_EQ(*decompress_source(*compress_source(text)), text);
}

TEST(source_text, with_damage_is_refused_and_never_crashes) {
  auto whole = *compress_source(source_of(attempt_of_one(1)));
  std::mt19937_64 random(7);
  EXPECT_FALSE(decompress_source("").ok());
  EXPECT_FALSE(decompress_source("zstd").ok());
  for (size_t cut = 1; cut < whole.size(); ++cut) EXPECT_FALSE(decompress_source(whole.substr(0, cut)).ok());
  EXPECT_FALSE(decompress_source(whole + whole).ok()) << "one frame, not two";
  for (int round = 0; round < 20000; ++round) {
    auto bytes = whole;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    (void)decompress_source(bytes);
  }
}

TEST(source_text, that_claims_to_be_enormous_is_refused_before_memory_is_taken) {
  // A frame header with a content size of 2^60: magic, descriptor (8-byte size, single segment), size.
  std::string frame("\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\0\0\x10", 13);
  auto text = decompress_source(frame);
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.failure().what.find("16 MiB"), std::string::npos) << text.failure().what;
}

}  // namespace
}  // namespace kope::testing
