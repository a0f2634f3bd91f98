// Actors that die in the middle of an exploration: a worker's and a planner's death costs nobody an
// attempt, the curator's ends the program, and the next start goes on.

#include <atomic>

#include "storage/memory_graph_store.hpp"
#include "tests/scenarios/whole_exploration.hpp"
#include "tests/support/faulty_graph_store.hpp"

namespace kope::testing {
namespace {

using answer = fake_compiler::answer;

/// What the policies of one scenario did, one after another.
struct policy_log {
  std::function<bool(int asked)> dies = [](int) { return false; };
  int asked = 0, given_out = 0, planners = 0;
};

/// Kills its planner when the log says so. Each planner's policy goes another way than its predecessor's: a number that
/// was given out twice would stand for two different sources.
class deadly_policy final : public policy {
public:
  deadly_policy(std::unique_ptr<policy> inner, std::shared_ptr<policy_log> log)
    : inner_(std::move(inner)), log_(std::move(log)), passed_over_(log_->planners++) {}

  std::string_view name() const override { return inner_->name(); }
  std::optional<proposal> next(random_source& random) override {
    if (log_->dies(++log_->asked)) throw std::runtime_error("this proposal kills its planner");
    for (; passed_over_ > 0; --passed_over_) inner_->next(random);
    auto proposed = inner_->next(random);
    if (proposed) ++log_->given_out;
    return proposed;
  }
  void learn(const point& at, wire::Attempt::Reader attempt, bool incumbent) override {
    inner_->learn(at, attempt, incumbent);
  }
  std::string snapshot() const override { return inner_->snapshot(); }
  result<unit> restore(std::string_view snapshot) override { return inner_->restore(snapshot); }

private:
  std::unique_ptr<policy> inner_;
  std::shared_ptr<policy_log> log_;
  int passed_over_;
};

/// Its curator dies in the n-th commit.
class deadly_store final : public faulty_graph_store {
public:
  deadly_store(std::shared_ptr<graph_store> inner, uint64_t deadly)
    : faulty_graph_store(std::move(inner)), deadly_(deadly) {}

private:
  std::optional<error> failure_of(const commit_batch&) override {
    if (++commits_ == deadly_) throw std::runtime_error("this commit kills its curator");
    return std::nullopt;
  }
  uint64_t commits_ = 0, deadly_;
};

class deaths_test : public ::testing::Test {
protected:
  void planners_die_when(std::function<bool(int asked)> dies) {
    log->dies = std::move(dies);
    on.make_policy = [log = log](std::string_view, parameter_space space) -> result<std::unique_ptr<policy>> {
      return std::unique_ptr<policy>(new deadly_policy(make_local_search(std::move(space)), log));
    };
  }
  /// Every proposal became an attempt of its own number; retries are nobody's proposal. `of`: all explorations.
  void expect_an_attempt_for_each_proposal(const std::vector<exploration_id>& of) {
    int attempts = 0;
    for (auto id : of)
      for (auto& attempt : attempts_of(*memory, id))
        attempts += !std::string_view(attempt.read()->getChosenBy().cStr()).starts_with("retry_of:");
    EXPECT_EQ(attempts, log->given_out);
    EXPECT_LE(on.bench->sources_of_one_number_max(), 1u);
  }

  std::shared_ptr<policy_log> log = std::make_shared<policy_log>();
  std::shared_ptr<graph_store> memory = make_memory_graph_store();
  machine on;
};

TEST_F(deaths_test, a_worker_that_dies_costs_no_attempt) {
  on.tool->behaviour = [](uint64_t n, const std::string&) { return n == 3 ? answer::death : answer::artifact; };
  program_start program(on, memory);
  auto id = id_of_row(program.explore(wish(on, 10)));
  program.follow();
  expect_whole(*memory, id, 10);
  EXPECT_EQ(count(*memory, id, wire::OutcomeClass::HARNESS_ERROR), 0u) << "it was handed out once more";
  EXPECT_EQ(program.supervisor_counter("worker_restarts"), 1);
  EXPECT_LE(on.bench->sources_of_one_number_max(), 1u);
}

TEST_F(deaths_test, work_that_kills_two_workers_is_kept_aside_and_tried_once_more) {
  auto deadly = std::make_shared<std::string>();
  auto kills = std::make_shared<int>(0);
  on.tool->behaviour = [=](uint64_t n, const std::string& source) {
    if (n == 3) *deadly = source;
    return !deadly->empty() && source == *deadly && ++*kills <= 2 ? answer::death : answer::artifact;
  };
  program_start program(on, memory);
  auto id = id_of_row(program.explore(wish(on, 10)));
  program.follow();
  expect_whole(*memory, id, 10);
  EXPECT_EQ(count(*memory, id, wire::OutcomeClass::HARNESS_ERROR), 1u);
  EXPECT_EQ(on.quarantined.size(), 1u);
  EXPECT_EQ(*kills, 3) << "the retry reached the compiler: it is no duplicate of what was never judged";
}

TEST_F(deaths_test, a_planner_that_dies_goes_on_from_its_row_without_losing_or_doubling_an_attempt) {
  planners_die_when([](int asked) { return asked == 9; });
  program_start program(on, memory);
  auto id = id_of_row(program.explore(wish(on, 20)));
  program.follow();
  expect_whole(*memory, id, 20);
  expect_an_attempt_for_each_proposal({id});
  EXPECT_EQ(program.supervisor_counter("planner_restarts"), 1);
}

TEST_F(deaths_test,
       a_worker_a_runner_and_a_planner_die_under_two_explorations_and_neither_loses_or_doubles_an_attempt) {
  std::atomic<int> workers = 0, runners = 0, planners = 0;
  on.bench->behaviour = [&](uint64_t n, const work&) {
    using verification = fake_bench::verification;
    if (n == 7) ++workers;
    if (n == 11) ++runners;
    return n == 7 ? verification::worker_death : n == 11 ? verification::runner_death : verification::right;
  };
  // after both, with attempts of the other exploration in flight and half of the budget to come
  planners_die_when([&](int) { return workers == 1 && runners == 1 && ++planners == 1; });
  program_start program(on, memory);
  std::vector<exploration_id> both{id_of_row(program.explore(wish(on, 20))), id_of_row(program.explore(wish(on, 20)))};
  for (auto id : both) ASSERT_EQ(stored_row(*memory, id).read()->getSpec().getTickets(), 4u);
  program.follow();
  program.follow();
  for (auto id : both) {
    expect_whole(*memory, id, 20);
    EXPECT_EQ(count(*memory, id, wire::OutcomeClass::HARNESS_ERROR), 0u) << "the worker's work was handed out again";
  }
  expect_an_attempt_for_each_proposal(both);
  EXPECT_EQ(program.supervisor_counter("worker_restarts"), 1);
  EXPECT_EQ(program.supervisor_counter("planner_restarts"), 1);
  EXPECT_EQ(runners, 1);
  EXPECT_LE(count(*memory, both[0], wire::OutcomeClass::CRASHED) + count(*memory, both[1], wire::OutcomeClass::CRASHED),
            1u)
      << "the runner's death is its attempt's alone; none when its planner died before it was committed";
}

TEST_F(deaths_test, a_planner_that_dies_while_the_disk_is_full_uses_no_number_twice) {
  auto disk = std::make_shared<failing_commits>(memory);
  // two attempts are begun, and their open rows wait for the disk when the planner dies
  planners_die_when([disk](int asked) {
    if (asked == 1) disk->fail(disk->commits() + 1, {errc::disk_full, "no room, says this test"}, 2);
    return asked == 3;
  });
  program_start program(on, disk);
  auto id = id_of_row(program.explore(wish(on, 12)));
  program.follow();
  expect_whole(*memory, id, 12);
  expect_an_attempt_for_each_proposal({id});
}

TEST_F(deaths_test, an_exploration_that_kills_every_planner_is_failed_with_its_reason) {
  planners_die_when([](int) { return true; });
  program_start program(on, memory);
  auto id = id_of_row(program.explore(wish(on, 10)));
  auto end = program.follow();
  ASSERT_TRUE(end.row) << end.fatal;
  EXPECT_EQ(end.row.read()->getState(), wire::ExplorationState::FAILED);
  std::string reason = end.row.read()->getStopReason().cStr();
  EXPECT_NE(reason.find("this proposal kills its planner"), std::string::npos) << reason;
  EXPECT_TRUE(attempts_of(*memory, id).empty());
}

TEST_F(deaths_test, a_curator_that_dies_ends_the_program_with_a_reason_and_the_next_start_goes_on) {
  scratch_directory disk;
  exploration_id id;
  std::vector<committed> acknowledged;
  {
    auto store = opened(disk);
    program_start program(on, std::make_shared<deadly_store>(store, 8));
    id = id_of_row(program.explore(wish(on, 20)));
    auto end = program.follow();
    EXPECT_NE(end.fatal.find("memory curator died"), std::string::npos) << end.fatal;
    EXPECT_NE(end.fatal.find("this commit kills its curator"), std::string::npos) << end.fatal;
    acknowledged = end.commits;
  }
  auto store = opened(disk);
  program_start program(on, store);
  program.explore(stored_row(*store, id));
  program.follow();
  expect_whole(*store, id, 20);
  auto snapshot = store->snapshot();
  for (auto& each : acknowledged) {
    auto view = each.read();
    auto attempt = (*snapshot)->attempt(*attempt_id::parse(std::string_view(view->getHeader().getAttempt().cStr())));
    ASSERT_TRUE(attempt->has_value());
    EXPECT_EQ((**attempt).read()->getOutcome(), view->getAttempt().getOutcome());
  }
}

}  // namespace
}  // namespace kope::testing
