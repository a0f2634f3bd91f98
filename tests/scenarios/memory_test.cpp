// A later exploration begins with what an earlier one found, verified and timed again; without memory it does not.

#include "storage/memory_graph_store.hpp"
#include "tests/scenarios/whole_exploration.hpp"

namespace kope::testing {
namespace {

/// Without the family's starting points and one attempt at a time, so that memory alone makes the difference and every
/// decision repeats.
exploration_row searching(const machine& on, uint32_t attempts, uint32_t seed) {
  return exploration_row::changed(*wish(on, attempts).read(), [&](wire::Exploration::Builder row) {
    auto spec = row.getSpec();
    spec.setSeed(seed);
    spec.setTickets(1);
    spec.setStartingPoints(false);
    auto sizes = spec.initSizes(3);
    for (unsigned i = 0; i < 3; ++i) sizes.set(i, 96);
  });
}

class memory_test : public ::testing::Test {
protected:
  /// Microseconds of the best attempt of a new exploration.
  double best_of(std::shared_ptr<graph_store> store, uint32_t attempts, uint32_t seed) {
    program_start program(on, store);
    auto started = program.explore(searching(on, attempts, seed));
    program.follow();
    last = id_of_row(started);
    double best = fake_bench::reference_microseconds;
    for (auto& attempt : attempts_of(*store, last)) {
      auto view = attempt.read();
      if (view->getPromotion().getPairs() > 0) best = std::min(best, view->getPromotion().getCandidateMicroseconds());
    }
    return best;
  }

  machine on;
  exploration_id last;
};

TEST_F(memory_test, a_second_exploration_reaches_the_first_ones_best_within_five_attempts) {
  std::shared_ptr<graph_store> store = make_memory_graph_store();
  double first = best_of(store, 60, 5);
  EXPECT_LE(best_of(store, 5, 6), first / 0.95);
}

TEST_F(memory_test, on_an_emptied_store_it_does_not) {
  double first = best_of(make_memory_graph_store(), 60, 5);
  EXPECT_GT(best_of(make_memory_graph_store(), 5, 6), first / 0.95);
}

TEST_F(memory_test, what_was_recalled_is_recorded_with_the_attempt_and_as_an_edge) {
  std::shared_ptr<graph_store> store = make_memory_graph_store();
  best_of(store, 20, 5);
  auto first_row = stored_row(*store, last);
  auto incumbent = attempt_id::parse(std::string_view(first_row.read()->getIncumbent().cStr())).value_or(attempt_id{});
  ASSERT_TRUE(incumbent);
  best_of(store, 3, 6);
  auto attempts = attempts_of(*store, last);
  ASSERT_FALSE(attempts.empty());
  auto first = attempts.front().read();
  ASSERT_EQ(first->getInjected().size(), 1u);
  EXPECT_STREQ(first->getInjected()[0].cStr(), incumbent.text().c_str());
  auto edges = (*store->snapshot())->edges(incumbent, edge_kind::injected_into, true, 10);
  ASSERT_TRUE(edges.ok());
  ASSERT_EQ(edges->size(), 1u);
  EXPECT_EQ((*edges)[0].to, make_attempt_id(last, 1));
}

TEST_F(memory_test, a_recollection_is_timed_again_and_may_lose) {
  std::shared_ptr<graph_store> store = make_memory_graph_store();
  best_of(store, 20, 5);
  best_of(store, 3, 6);
  auto attempts = attempts_of(*store, last);
  auto first = attempts.front().read();
  EXPECT_GT(first->getPromotion().getPairs(), 0u);
  EXPECT_EQ(first->getPromotion().getAgainst(), "reference") << "what memory says counts for nothing until it is timed";
}

}  // namespace
}  // namespace kope::testing
