// What an operation costs, counted in rows touched, with a history a hundred times longer than the answer.
#include <gtest/gtest.h>

#include "storage/graph_on_tables.hpp"
#include "storage/memory_tables.hpp"
#include "tests/storage/graph_records.hpp"

namespace kope::testing {
namespace {

struct row_counts {
  uint64_t gets = 0, visited = 0, puts = 0;
  uint64_t all() const { return gets + visited + puts; }
};

template <class Contract>
class counting : public Contract {
public:
  counting(std::unique_ptr<Contract> inner, row_counts& counts) : inner_(std::move(inner)), counts_(counts) {}
  result<std::optional<std::string_view>> get(table which, std::string_view key) const override {
    ++counts_.gets;
    return inner_->get(which, key);
  }
  result<unit> scan(table which, const key_range& range, scan_order order, const row_visitor& visit) const override {
    return inner_->scan(which, range, order, [&](std::string_view key, std::string_view value) {
      ++counts_.visited;
      return visit(key, value);
    });
  }
  result<uint64_t> rows(table which) const override { return inner_->rows(which); }
  uint64_t bytes_on_disk() const override { return inner_->bytes_on_disk(); }

protected:
  std::unique_ptr<Contract> inner_;
  row_counts& counts_;
};

class counting_writer final : public counting<table_writer> {
public:
  using counting::counting;
  result<unit> put(table which, std::string_view key, std::string_view value) override {
    ++counts_.puts;
    return inner_->put(which, key, value);
  }
  result<unit> erase(table which, std::string_view key) override {
    ++counts_.puts;
    return inner_->erase(which, key);
  }
  result<unit> commit() override { return inner_->commit(); }
};

class counting_tables final : public tables {
public:
  explicit counting_tables(row_counts& counts) : counts_(counts) {}
  result<std::unique_ptr<table_writer>> begin_write() override {
    return std::unique_ptr<table_writer>(std::make_unique<counting_writer>(std::move(*inner_->begin_write()), counts_));
  }
  result<std::unique_ptr<table_reader>> begin_read() const override {
    using reader = counting<table_reader>;
    return std::unique_ptr<table_reader>(std::make_unique<reader>(std::move(*inner_->begin_read()), counts_));
  }
  std::string place() const override { return inner_->place(); }

private:
  std::unique_ptr<tables> inner_ = make_memory_tables();
  row_counts& counts_;
};

class cost : public ::testing::Test {
protected:
  cost() {
    for (uint32_t number = 1; number <= 1000; ++number) {
      auto id = make_attempt_id(exploration_id{1 + number % 2}, number);
      EXPECT_TRUE(
          store_
              ->commit(batch_of({make_outcome(
                  id, [](auto root) { root.getAttempt().setParent(make_attempt_id(exploration_id{7}, 1).text()); })}))
              .ok());
    }
  }
  template <class Ask>
  uint64_t rows_touched(Ask&& ask) {
    auto view = std::move(*store_->snapshot());
    counts_ = {};
    ask(*view);
    return counts_.all();
  }

  row_counts counts_;
  std::unique_ptr<graph_store> store_ =
      std::move(*open_graph_on_tables(std::make_shared<counting_tables>(counts_), store_access::write));
};

TEST_F(cost, of_reading_a_history_is_two_rows_for_each_attempt_returned) {
  EXPECT_EQ(rows_touched([](auto& view) { EXPECT_EQ(view.newest_attempts(exploration_one, 10)->size(), 10u); }), 20u);
  EXPECT_EQ(rows_touched([](auto& view) { EXPECT_EQ(view.attempts_after(exploration_one, 500, 10)->size(), 10u); }),
            20u);
  EXPECT_EQ(rows_touched([](auto& view) { EXPECT_EQ(view.attempts_after(exploration_one, 990, 99)->size(), 5u); }),
            10u);
}

TEST_F(cost, of_edges_is_one_row_for_each_edge_returned) {
  auto parent = make_attempt_id(exploration_id{7}, 1);
  EXPECT_EQ(
      rows_touched([&](auto& view) { EXPECT_EQ(view.edges(parent, edge_kind::derived_from, false, 3)->size(), 3u); }),
      3u);
}

TEST_F(cost, of_counting_is_no_row) {
  EXPECT_EQ(rows_touched([](auto& view) { EXPECT_EQ(view.counts()->attempts, 1000u); }), 0u);
}

TEST_F(cost, of_a_commit_does_not_grow_with_history) {
  counts_ = {};
  ASSERT_TRUE(store_->commit(batch_of({make_outcome(make_attempt_id(exploration_id{3}, 1))})).ok());
  auto first_of_an_exploration = counts_.all();
  counts_ = {};
  ASSERT_TRUE(store_->commit(batch_of({make_outcome(attempt_of_one(5000))})).ok());
  EXPECT_LE(counts_.all(), first_of_an_exploration);
  EXPECT_EQ(counts_.visited, 0u);
  EXPECT_LE(counts_.all(), 12u);
}

TEST_F(cost, of_writing_the_same_rows_again_is_no_write) {
  commit_batch batch;
  batch.tasks = {make_task("a", "name")};
  batch.sources = {"text"};
  batch.explorations = {make_exploration(exploration_one)};
  batch.opened = {make_open(attempt_of_one(7777))};
  ASSERT_TRUE(store_->commit(batch).ok());
  batch.outcomes = {make_outcome(attempt_of_one(1000))};  // a duplicate: even numbers are in exploration 1
  counts_ = {};
  ASSERT_TRUE(store_->commit(batch).ok());
  EXPECT_EQ(counts_.puts, 0u);
}

}  // namespace
}  // namespace kope::testing
