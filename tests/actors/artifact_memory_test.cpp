#include "actors/profiler/artifact_memory.hpp"

#include <gtest/gtest.h>

namespace kope {
namespace {

std::shared_ptr<const std::string> artifact(size_t bytes) { return std::make_shared<const std::string>(bytes, 'x'); }
const exploration_id a{1}, b{2};

TEST(artifact_memory, knows_the_incumbent_of_each_exploration) {
  artifact_memory memory;
  EXPECT_FALSE(memory.incumbent(a, 0));
  memory.promote(make_attempt_id(a, 1), 0, artifact(10));
  memory.promote(make_attempt_id(b, 4), 0, artifact(20));
  memory.promote(make_attempt_id(a, 3), 0, artifact(30));
  EXPECT_EQ(memory.incumbent(a, 0)->attempt, make_attempt_id(a, 3));
  EXPECT_EQ(memory.incumbent(b, 0)->artifact->size(), 20u);
}

TEST(artifact_memory, what_an_earlier_planner_promoted_does_not_count_for_its_successor) {
  artifact_memory memory;
  memory.promote(make_attempt_id(a, 1), 0, artifact(10));
  EXPECT_FALSE(memory.incumbent(a, 1)) << "it may never have been committed";
  memory.promote(make_attempt_id(a, 2), 1, artifact(20));
  memory.promote(make_attempt_id(a, 3), 0, artifact(30));
  EXPECT_EQ(memory.incumbent(a, 1)->attempt, make_attempt_id(a, 2)) << "late work of the planner that died";
}

TEST(artifact_memory, forgets_the_oldest_beyond_its_bytes_but_never_an_incumbent) {
  artifact_memory memory(100);
  memory.promote(make_attempt_id(a, 1), 0, artifact(60));
  memory.keep(make_attempt_id(a, 2), artifact(60));
  EXPECT_EQ(memory.artifact(make_attempt_id(a, 1)), nullptr);
  EXPECT_NE(memory.artifact(make_attempt_id(a, 2)), nullptr);
  EXPECT_EQ(memory.incumbent(a, 0)->artifact->size(), 60u);
}

}  // namespace
}  // namespace kope
