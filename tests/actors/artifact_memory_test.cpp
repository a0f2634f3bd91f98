#include "actors/profiler/artifact_memory.hpp"

#include <gtest/gtest.h>

namespace kope {
namespace {

std::shared_ptr<const std::string> artifact(size_t bytes) { return std::make_shared<const std::string>(bytes, 'x'); }
const exploration_id a{1}, b{2};

TEST(artifact_memory, knows_the_incumbent_of_each_exploration) {
  artifact_memory memory;
  EXPECT_FALSE(memory.incumbent(a));
  memory.promote(make_attempt_id(a, 1), artifact(10));
  memory.promote(make_attempt_id(b, 4), artifact(20));
  memory.promote(make_attempt_id(a, 3), artifact(30));
  EXPECT_EQ(memory.incumbent(a)->attempt, make_attempt_id(a, 3));
  EXPECT_EQ(memory.incumbent(b)->artifact->size(), 20u);
}

TEST(artifact_memory, forgets_the_oldest_beyond_its_bytes_but_never_an_incumbent) {
  artifact_memory memory(100);
  memory.promote(make_attempt_id(a, 1), artifact(60));
  memory.keep(make_attempt_id(a, 2), artifact(60));
  EXPECT_EQ(memory.artifact(make_attempt_id(a, 1)), nullptr);
  EXPECT_NE(memory.artifact(make_attempt_id(a, 2)), nullptr);
  EXPECT_EQ(memory.incumbent(a)->artifact->size(), 60u);
}

}  // namespace
}  // namespace kope
