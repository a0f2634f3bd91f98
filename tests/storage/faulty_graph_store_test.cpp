#include "tests/support/faulty_graph_store.hpp"

#include <gtest/gtest.h>

#include "storage/memory_graph_store.hpp"
#include "tests/storage/graph_records.hpp"

namespace kope::testing {
namespace {

TEST(faulty_graph_store, fails_the_chosen_commits_and_writes_nothing_in_them) {
  failing_commits store(make_memory_graph_store());
  store.fail(2, {errc::disk_full, "no room"}, 2);
  EXPECT_TRUE(store.commit(batch_of({make_outcome(attempt_of_one(1))})).ok());
  EXPECT_EQ(store.commit(batch_of({make_outcome(attempt_of_one(2))})).failure().code, errc::disk_full);
  EXPECT_EQ(store.commit(batch_of({make_outcome(attempt_of_one(2))})).failure().code, errc::disk_full);
  EXPECT_EQ((*store.snapshot())->step(), 1u);
  EXPECT_EQ((*store.commit(batch_of({make_outcome(attempt_of_one(2))})))[0].step, 2u);
  EXPECT_EQ(store.commits(), 4u);
}

TEST(faulty_graph_store, fails_until_recovery) {
  failing_commits store(make_memory_graph_store());
  store.fail_until_recovery({errc::io, "gone"});
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(store.commit(batch_of({make_outcome(attempt_of_one(1))})).ok());
  store.recover();
  EXPECT_TRUE(store.commit(batch_of({make_outcome(attempt_of_one(1))})).ok());
}

TEST(faulty_graph_store, refuses_batches_with_one_attempt_and_takes_others) {
  refusing_attempt store(make_memory_graph_store(), attempt_of_one(2));
  auto refused = store.commit(batch_of({make_outcome(attempt_of_one(1)), make_outcome(attempt_of_one(2))}));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.failure().what.find(attempt_of_one(2).text()), std::string::npos);
  EXPECT_EQ((*store.snapshot())->step(), 0u);
  EXPECT_TRUE(store.commit(batch_of({make_outcome(attempt_of_one(1))})).ok());
}

}  // namespace
}  // namespace kope::testing
