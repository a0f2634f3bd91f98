// What every graph store must do; each store is one line at the end.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "storage/lmdb_graph_store.hpp"
#include "storage/memory_graph_store.hpp"
#include "tests/storage/graph_records.hpp"
#include "tests/storage/scratch_directory.hpp"

namespace kope::testing {
namespace {

struct store_kind {
  const char* name;
  std::unique_ptr<graph_store> (*make)(const scratch_directory& scratch);
};

std::unique_ptr<graph_store> make_lmdb(const scratch_directory& scratch) {
  auto store = open_lmdb_graph_store(scratch.path("graph"), store_access::write);
  if (!store) throw std::runtime_error(store.failure().what);
  return std::move(*store);
}

class graph_store_contract : public ::testing::TestWithParam<store_kind> {
protected:
  std::vector<outcome_receipt> commit(const commit_batch& batch) {
    auto receipts = store_->commit(batch);
    EXPECT_TRUE(receipts.ok()) << (receipts ? "" : receipts.failure().what);
    return receipts ? *receipts : std::vector<outcome_receipt>();
  }
  std::vector<outcome_receipt> commit(std::vector<outcome> outcomes) { return commit(batch_of(std::move(outcomes))); }

  std::unique_ptr<graph_snapshot> snapshot() {
    auto made = store_->snapshot();
    if (!made) throw std::runtime_error(made.failure().what);
    return std::move(*made);
  }
  store_counts counts() { return *snapshot()->counts(); }

  std::vector<std::string> ids(const result<std::vector<attempt_record>>& found) {
    std::vector<std::string> texts;
    EXPECT_TRUE(found.ok());
    for (auto& record : *found) texts.push_back(id_of(record));
    return texts;
  }

  /// Commits and expects a refusal that names `name`, after which the store is as it was.
  void expect_refused(const commit_batch& batch, std::string_view name) {
    auto before = counts();
    auto receipts = store_->commit(batch);
    ASSERT_FALSE(receipts.ok());
    EXPECT_EQ(receipts.failure().code, errc::invalid_input);
    EXPECT_NE(receipts.failure().what.find(name), std::string::npos) << receipts.failure().what;
    auto after = counts();
    EXPECT_EQ(before.attempts, after.attempts);
    EXPECT_EQ(before.sources, after.sources);
    EXPECT_EQ(before.tasks, after.tasks);
    EXPECT_EQ(before.open, after.open);
    EXPECT_EQ(before.explorations, after.explorations);
  }

  scratch_directory scratch_;
  std::unique_ptr<graph_store> store_ = GetParam().make(scratch_);
};

TEST_P(graph_store_contract, is_empty_at_first) {
  auto view = snapshot();
  EXPECT_EQ(view->step(), 0u);
  EXPECT_FALSE(view->attempt(attempt_of_one(1))->has_value());
  EXPECT_FALSE(view->exploration(exploration_one)->has_value());
  EXPECT_FALSE(view->task("task")->has_value());
  EXPECT_FALSE(view->target("target")->has_value());
  EXPECT_FALSE(view->toolchain("toolchain")->has_value());
  EXPECT_FALSE(view->source(content_hash("x"))->has_value());
  EXPECT_TRUE(view->open_rows()->empty());
  EXPECT_TRUE(view->explorations(10)->empty());
  EXPECT_TRUE(view->newest_attempts(exploration_one, 10)->empty());
  EXPECT_EQ(view->counts()->attempts, 0u);
  EXPECT_EQ(store_->incarnation(), 1u);
}

TEST_P(graph_store_contract, an_empty_batch_is_committed_without_receipts) {
  EXPECT_TRUE(commit(commit_batch{}).empty());
  EXPECT_EQ(snapshot()->step(), 0u);
}

TEST_P(graph_store_contract, an_outcome_is_stored_with_its_step_and_source) {
  auto receipts = commit({make_outcome(attempt_of_one(1)), make_outcome(attempt_of_one(2))});
  ASSERT_EQ(receipts.size(), 2u);
  EXPECT_EQ(receipts[0].step, 1u);
  EXPECT_EQ(receipts[1].step, 2u);
  EXPECT_FALSE(receipts[1].duplicate);
  auto view = snapshot();
  EXPECT_EQ(view->step(), 2u);
  auto found = *view->attempt(attempt_of_one(2));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, receipts[1].stored);
  EXPECT_EQ(found->read()->getStep(), 2);
  EXPECT_EQ(*view->source(hash_of(*found)), source_of(attempt_of_one(2)));
  EXPECT_EQ(view->counts()->attempts, 2u);
  EXPECT_EQ(view->counts()->sources, 2u);
}

TEST_P(graph_store_contract, the_first_outcome_of_an_attempt_wins_and_later_ones_are_acknowledged) {
  auto first = commit({make_outcome(attempt_of_one(1))});
  auto later = make_outcome(attempt_of_one(1), [](auto root) {
    root.getAttempt().setOutcome(wire::OutcomeClass::INTERRUPTED);
    root.setSource("");
  });
  auto receipts = commit({later, make_outcome(attempt_of_one(2)), later});
  ASSERT_EQ(receipts.size(), 3u);
  EXPECT_TRUE(receipts[0].duplicate);
  EXPECT_EQ(receipts[0].step, 1u);
  EXPECT_EQ(receipts[0].stored, first[0].stored);
  EXPECT_EQ(receipts[1].step, 2u);
  EXPECT_FALSE(receipts[1].duplicate);
  EXPECT_TRUE(receipts[2].duplicate);
  EXPECT_EQ(snapshot()->step(), 2u);
  EXPECT_EQ(counts().attempts, 2u);
  EXPECT_EQ((*snapshot()->attempt(attempt_of_one(1)))->read()->getOutcome(), wire::OutcomeClass::IMPROVED);
}

TEST_P(graph_store_contract, two_outcomes_of_one_attempt_in_one_batch_count_once) {
  auto receipts = commit({make_outcome(attempt_of_one(7)), make_outcome(attempt_of_one(7))});
  EXPECT_FALSE(receipts[0].duplicate);
  EXPECT_TRUE(receipts[1].duplicate);
  EXPECT_EQ(receipts[1].stored, receipts[0].stored);
  EXPECT_EQ(snapshot()->newest_attempts(exploration_one, 10)->size(), 1u);
}

TEST_P(graph_store_contract, limits_of_a_target_are_kept_by_moment_and_come_newest_first) {
  commit_batch batch;
  batch.limits = {make_limits("a", 1000), make_limits("a", 3000.5), make_limits("b", 2500), make_limits("a", 2000)};
  commit(batch);
  auto view = snapshot();
  auto found = view->limits("a", 10);
  ASSERT_TRUE(found.ok());
  std::vector<double> moments;
  for (auto& each : *found) moments.push_back(each.read()->getMeasuredUnixSeconds());
  EXPECT_EQ(moments, (std::vector<double>{3000.5, 2000, 1000}));
  EXPECT_EQ(view->limits("a", 2)->size(), 2u);
  EXPECT_EQ(view->limits("b", 10)->size(), 1u);
  EXPECT_TRUE(view->limits("c", 10)->empty());
}

TEST_P(graph_store_contract, what_was_measured_at_a_moment_never_changes) {
  commit_batch first, second;
  first.limits = {make_limits("a", 1000, 1e11)};
  second.limits = {make_limits("a", 1000, 9e11)};
  commit(first);
  commit(second);
  auto found = snapshot()->limits("a", 10);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front(), first.limits.front());
}

TEST_P(graph_store_contract, limits_without_a_target_or_a_moment_are_refused) {
  commit_batch batch;
  batch.limits = {make_limits("a", 1000), make_limits("", 1000)};
  expect_refused(batch, "limits 1");
  for (double moment : {0.0, -1.0, 1e300, std::nan("")}) {
    batch.limits = {make_limits("a", moment)};
    expect_refused(batch, "limits 0");
  }
}

TEST_P(graph_store_contract, an_outcome_closes_its_open_row) {
  commit_batch batch;
  batch.opened = {make_open(attempt_of_one(1)), make_open(attempt_of_one(2))};
  commit(batch);
  EXPECT_EQ(snapshot()->open_rows()->size(), 2u);
  commit({make_outcome(attempt_of_one(1))});
  auto open = *snapshot()->open_rows();
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0], make_open(attempt_of_one(2)));
  EXPECT_EQ(counts().open, 1u);
}

TEST_P(graph_store_contract, opening_a_committed_or_open_attempt_again_changes_nothing) {
  commit_batch batch;
  batch.opened = {make_open(attempt_of_one(1)), make_open(attempt_of_one(2), "first")};
  batch.outcomes = {make_outcome(attempt_of_one(1))};
  commit(batch);
  commit_batch again;
  again.opened = {make_open(attempt_of_one(1)), make_open(attempt_of_one(2), "second")};
  commit(again);
  auto open = *snapshot()->open_rows();
  ASSERT_EQ(open.size(), 1u);
  EXPECT_STREQ(open[0].read()->getPlan().getAction().cStr(), "first");
}

TEST_P(graph_store_contract, attempts_after_a_step_come_oldest_first_and_only_of_their_exploration) {
  auto other = make_attempt_id(exploration_id{2}, 1);
  commit({make_outcome(attempt_of_one(3)), make_outcome(other), make_outcome(attempt_of_one(1)),
          make_outcome(attempt_of_one(2))});
  auto view = snapshot();
  using texts = std::vector<std::string>;
  auto one = attempt_of_one(1).text(), two = attempt_of_one(2).text(), three = attempt_of_one(3).text();
  EXPECT_EQ(ids(view->attempts_after(exploration_one, 0, 10)), (texts{three, one, two}));
  EXPECT_EQ(ids(view->attempts_after(exploration_one, 1, 10)), (texts{one, two}));
  EXPECT_EQ(ids(view->attempts_after(exploration_one, 1, 1)), (texts{one}));
  EXPECT_EQ(ids(view->attempts_after(exploration_one, 4, 10)), (texts{}));
  EXPECT_EQ(ids(view->attempts_after(exploration_one, UINT64_MAX, 10)), (texts{}));
  EXPECT_EQ(ids(view->attempts_after(exploration_one, 0, 0)), (texts{}));
  EXPECT_EQ(ids(view->newest_attempts(exploration_one, 10)), (texts{two, one, three}));
  EXPECT_EQ(ids(view->newest_attempts(exploration_one, 2)), (texts{two, one}));
  EXPECT_EQ(ids(view->newest_attempts(exploration_one, 0)), (texts{}));
  EXPECT_EQ(ids(view->newest_attempts(exploration_id{2}, 10)), (texts{other.text()}));
  EXPECT_EQ(ids(view->newest_attempts(exploration_id{3}, 10)), (texts{}));
}

TEST_P(graph_store_contract, a_parent_becomes_an_edge_seen_from_both_ends_newest_first) {
  auto child_of = [](attempt_id id, attempt_id parent) {
    return make_outcome(id, [&](auto root) { root.getAttempt().setParent(parent.text()); });
  };
  auto root = attempt_of_one(1), left = attempt_of_one(2), right = attempt_of_one(3), deep = attempt_of_one(4);
  commit({make_outcome(root), child_of(right, root), child_of(left, root), child_of(deep, left)});
  auto view = snapshot();
  auto children = *view->edges(root, edge_kind::derived_from, false, 10);
  ASSERT_EQ(children.size(), 2u);
  EXPECT_EQ(children[0].from, left);
  EXPECT_EQ(children[0].to, root);
  EXPECT_EQ(children[0].step, 3u);
  EXPECT_EQ(children[1].from, right);
  EXPECT_EQ(view->edges(root, edge_kind::derived_from, false, 1)->size(), 1u);
  EXPECT_EQ(view->edges(root, edge_kind::derived_from, false, 0)->size(), 0u);
  auto parents = *view->edges(deep, edge_kind::derived_from, true, 10);
  ASSERT_EQ(parents.size(), 1u);
  EXPECT_EQ(parents[0].from, deep);
  EXPECT_EQ(parents[0].to, left);
  EXPECT_TRUE(view->edges(root, edge_kind::derived_from, true, 10)->empty());
  EXPECT_TRUE(view->edges(root, edge_kind::injected_into, false, 10)->empty());
  EXPECT_EQ(view->counts()->edges, 3u);
}

TEST_P(graph_store_contract, a_judged_source_is_found_by_its_normal_hash_within_its_exploration) {
  commit({make_outcome(attempt_of_one(5))});
  auto same = [](auto root) { root.getAttempt().setNormalHash(content_hash("same")); };
  commit({make_outcome(attempt_of_one(6), same), make_outcome(attempt_of_one(7), same)});
  auto view = snapshot();
  auto normal = content_hash("normal " + source_of(attempt_of_one(5)));
  EXPECT_EQ(*view->attempt_by_normal_hash(exploration_one, normal), attempt_of_one(5));
  EXPECT_EQ(*view->attempt_by_normal_hash(exploration_one, content_hash("same")), attempt_of_one(6));
  EXPECT_EQ(*view->attempt_by_normal_hash(exploration_id{2}, normal), std::nullopt);
  EXPECT_EQ(*view->attempt_by_normal_hash(exploration_one, content_hash("never")), std::nullopt);
}

TEST_P(graph_store_contract, what_was_not_judged_is_not_found_by_its_normal_hash) {
  uint32_t number = 0;
  auto ended = [&](wire::OutcomeClass how, bool final) {
    auto id = attempt_of_one(++number);
    commit({make_outcome(id, [&](auto root) {
      root.getAttempt().setOutcome(how);
      root.getAttempt().setFinal(final);
    })});
    return snapshot()->attempt_by_normal_hash(exploration_one, content_hash("normal " + source_of(id)))->has_value();
  };
  EXPECT_FALSE(ended(wire::OutcomeClass::NO_CODE, true));
  EXPECT_FALSE(ended(wire::OutcomeClass::DUPLICATE, true));
  EXPECT_FALSE(ended(wire::OutcomeClass::INTERRUPTED, false));
  EXPECT_FALSE(ended(wire::OutcomeClass::HARNESS_ERROR, false));
  EXPECT_FALSE(ended(wire::OutcomeClass::TIMED_OUT, false));
  EXPECT_TRUE(ended(wire::OutcomeClass::TIMED_OUT, true));
  EXPECT_TRUE(ended(wire::OutcomeClass::BUILD_FAILED, true));
  EXPECT_TRUE(ended(wire::OutcomeClass::WRONG_ANSWER, true));
}

TEST_P(graph_store_contract, sources_are_kept_once_and_come_back_byte_for_byte) {
  std::string binary("a\0b\xff\n", 5), large(200000, 'x');
  commit_batch batch;
  batch.sources = {binary, large, binary, ""};
  commit(batch);
  EXPECT_EQ(counts().sources, 3u);
  commit(batch);
  EXPECT_EQ(counts().sources, 3u);
  auto view = snapshot();
  EXPECT_EQ(*view->source(content_hash(binary)), binary);
  EXPECT_EQ(*view->source(content_hash(large)), large);
  EXPECT_EQ(*view->source(content_hash("")), "");
  EXPECT_EQ(*view->source("not a hash"), std::nullopt);
  EXPECT_EQ(*view->source(""), std::nullopt);
}

TEST_P(graph_store_contract, records_are_found_by_key_and_replaced) {
  std::string long_key(5000, 'k');
  commit_batch batch;
  batch.tasks = {make_task("a", "first"), make_task(long_key, "long")};
  batch.targets = {target_record::build([](auto row) { row.setKey("a"), row.setVendor("v"); })};
  batch.toolchains = {toolchain_record::build([](auto row) { row.setKey("a"), row.setName("cpp-gcc"); })};
  commit(batch);
  commit_batch again;
  again.tasks = {make_task("a", "second")};
  commit(again);
  auto view = snapshot();
  EXPECT_STREQ((*view->task("a"))->read()->getName().cStr(), "second");
  EXPECT_STREQ((*view->task(long_key))->read()->getName().cStr(), "long");
  EXPECT_STREQ((*view->target("a"))->read()->getVendor().cStr(), "v");
  EXPECT_STREQ((*view->toolchain("a"))->read()->getName().cStr(), "cpp-gcc");
  EXPECT_EQ(*view->task("b"), std::nullopt);
  EXPECT_EQ(view->counts()->tasks, 2u);
}

TEST_P(graph_store_contract, exploration_rows_are_written_over_and_listed_newest_first) {
  commit_batch batch;
  batch.explorations = {make_exploration(exploration_id{1}), make_exploration(exploration_id{300}),
                        make_exploration(exploration_id{20})};
  commit(batch);
  batch.explorations = {make_exploration(exploration_id{20}, 64)};
  commit(batch);
  auto view = snapshot();
  auto newest = *view->explorations(2);
  ASSERT_EQ(newest.size(), 2u);
  EXPECT_EQ(newest[0].read()->getId(), exploration_id{300}.text());
  EXPECT_EQ(newest[1].read()->getId(), exploration_id{20}.text());
  EXPECT_EQ((*view->exploration(exploration_id{20}))->read()->getSpentAttempts(), 64u);
  EXPECT_EQ(view->counts()->explorations, 3u);
}

TEST_P(graph_store_contract, new_exploration_ids_rise_above_all_that_were_given_or_seen) {
  EXPECT_EQ(store_->new_exploration_id()->value, 1u);
  EXPECT_EQ(store_->new_exploration_id()->value, 2u);
  commit_batch batch;
  batch.explorations = {make_exploration(exploration_id{9})};
  commit(batch);
  EXPECT_EQ(store_->new_exploration_id()->value, 10u);
  commit({make_outcome(make_attempt_id(exploration_id{40}, 1))});
  EXPECT_EQ(store_->new_exploration_id()->value, 41u);
  batch = {};
  batch.opened = {make_open(make_attempt_id(exploration_id{50}, 1))};
  commit(batch);
  EXPECT_EQ(store_->new_exploration_id()->value, 51u);
  batch = {};
  batch.explorations = {make_exploration(exploration_id{0xffffffff})};
  commit(batch);
  EXPECT_FALSE(store_->new_exploration_id().ok());
}

TEST_P(graph_store_contract, a_batch_with_a_bad_outcome_is_refused_whole_and_names_it) {
  commit_batch batch;
  batch.tasks = {make_task("a", "task")};
  batch.sources = {"text"};
  batch.opened = {make_open(attempt_of_one(8))};
  batch.explorations = {make_exploration(exploration_one)};
  auto with = [&](outcome bad) {
    auto made = batch;
    made.outcomes = {make_outcome(attempt_of_one(1)), std::move(bad)};
    return made;
  };
  auto name = [](std::string_view text) {
    return make_outcome(attempt_of_one(2),
                        [&](auto root) { root.getAttempt().getHeader().setAttempt(std::string(text)); });
  };
  expect_refused(with(name("attempt-2")), "attempt-2");
  expect_refused(with(name("")), "outcome 1 of the batch");
  expect_refused(with(name("0000000000000000")), "0000000000000000");
  expect_refused(with(outcome()), "outcome 1 of the batch");
  auto id = attempt_of_one(2);
  expect_refused(with(make_outcome(id, [](auto root) { root.setSource("other"); })), id.text());
  expect_refused(with(make_outcome(id, [](auto root) { root.getAttempt().setSourceHash(""); })), id.text());
  expect_refused(with(make_outcome(id, [](auto root) { root.getAttempt().setParent("p"); })), id.text());
  expect_refused(
      with(make_outcome(id, [](auto root) { root.getAttempt().getHeader().setExploration(exploration_id{3}.text()); })),
      id.text());
  EXPECT_EQ(snapshot()->step(), 0u);
}

TEST_P(graph_store_contract, a_batch_with_a_bad_row_is_refused_whole_and_names_it) {
  auto with = [](auto change) {
    commit_batch batch = batch_of({make_outcome(attempt_of_one(1))});
    change(batch);
    return batch;
  };
  expect_refused(with([](auto& batch) { batch.tasks = {make_task("", "name")}; }), "task 0");
  expect_refused(with([](auto& batch) { batch.targets = {target_record()}; }), "target 0");
  expect_refused(with([](auto& batch) { batch.toolchains = {toolchain_record()}; }), "toolchain 0");
  expect_refused(with([](auto& batch) { batch.opened = {open_row()}; }), "open row 0");
  expect_refused(with([](auto& batch) { batch.explorations = {exploration_row()}; }), "exploration 0");
  expect_refused(with([](auto& batch) { batch.explorations = {make_exploration(exploration_id{1ull << 32})}; }),
                 "0000000100000000");
  expect_refused(with([](auto& batch) { batch.sources = {std::string((16 << 20) + 1, 'x')}; }), "source 0");
}

TEST_P(graph_store_contract, an_outcome_may_name_a_source_that_it_does_not_bring) {
  commit({make_outcome(attempt_of_one(1))});
  auto same = make_outcome(attempt_of_one(2), [](auto root) {
    root.getAttempt().setSourceHash(content_hash(source_of(attempt_of_one(1))));
    root.setSource("");
  });
  EXPECT_FALSE(commit({same})[0].duplicate);
  EXPECT_EQ(counts().sources, 1u);
}

TEST_P(graph_store_contract, a_snapshot_stays_at_its_moment) {
  commit({make_outcome(attempt_of_one(1))});
  auto before = snapshot();
  commit_batch batch = batch_of({make_outcome(attempt_of_one(2))});
  batch.explorations = {make_exploration(exploration_one)};
  commit(batch);
  EXPECT_EQ(before->step(), 1u);
  EXPECT_FALSE(before->attempt(attempt_of_one(2))->has_value());
  EXPECT_EQ(before->newest_attempts(exploration_one, 10)->size(), 1u);
  EXPECT_EQ(before->counts()->explorations, 0u);
  EXPECT_EQ(snapshot()->newest_attempts(exploration_one, 10)->size(), 2u);
}

TEST_P(graph_store_contract, a_snapshot_outlives_its_store) {
  commit({make_outcome(attempt_of_one(1))});
  auto view = snapshot();
  store_.reset();
  EXPECT_TRUE(view->attempt(attempt_of_one(1))->has_value());
  EXPECT_EQ(view->counts()->attempts, 1u);
}

TEST_P(graph_store_contract, readers_on_other_threads_see_whole_commits_only) {
  constexpr uint32_t batches = 60, batch_size = 5;
  std::vector<std::string> torn;
  std::thread reader([&] {
    for (uint64_t seen = 0; seen < uint64_t{batches} * batch_size;) {
      auto view = store_->snapshot();
      if (!view) {
        torn.push_back(view.failure().what);
        return;
      }
      seen = (*view)->step();
      auto newest = (*view)->newest_attempts(exploration_one, batch_size + 1);
      if (seen % batch_size != 0) torn.push_back("step " + std::to_string(seen));
      if (!newest || newest->size() != std::min<uint64_t>(seen, batch_size + 1)) torn.push_back("attempts are missing");
    }
  });
  for (uint32_t batch = 0; batch < batches; ++batch) {
    std::vector<outcome> outcomes;
    for (uint32_t i = 1; i <= batch_size; ++i) outcomes.push_back(make_outcome(attempt_of_one(batch * batch_size + i)));
    commit(std::move(outcomes));
  }
  reader.join();
  EXPECT_EQ(torn, std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(stores, graph_store_contract,
                         ::testing::Values(store_kind{"lmdb", make_lmdb}, store_kind{"memory",
                                                                                     [](const scratch_directory&) {
                                                                                       return make_memory_graph_store();
                                                                                     }}),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace kope::testing
