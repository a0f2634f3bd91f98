// Slots of several layouts in one process: each call gets the sizes, the bytes and the guards of its slot's group.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstring>
#include <numeric>

#include "tests/toolchains/kernel_bench.hpp"

namespace kope {
namespace {

slot_group group_of(size_t floats, size_t slots, placement place) {
  return {{{floats * 4}, {floats * 4}, {static_cast<int64_t>(floats)}, slots}, place};
}

std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / 4};
}

class slot_groups : public testing::Test {
protected:
  result<std::unique_ptr<runner_session>> open(const std::string& artifact, const std::vector<slot_group>& groups,
                                               runner_session* memory_of = nullptr) {
    session_request request;
    request.artifact = std::as_bytes(std::span(artifact));
    request.layout = groups.front().layout;
    request.place = groups.front().place;
    request.further.assign(groups.begin() + 1, groups.end());
    request.memory_of = memory_of;
    return runner_->open(request);
  }
  batch_report call(runner_session& session, std::vector<uint32_t> slots) {
    auto report = session.call(slots, 10);
    EXPECT_TRUE(report) << (report ? "" : report.failure().what);
    return report ? *report : batch_report{.end = batch_end::timed_out};
  }
  std::string twice() { return bench_.artifact("for (long i = 0; i < n; ++i) out[i] = 2 * in[i];"); }

  scratch_directory scratch_;
  process_host host_{scratch_.path() + "/children"};
  kernel_bench bench_{host_};
  std::unique_ptr<runner> runner_ = make_host_runner(host_, runner_options());
};

const std::vector<slot_group> several = {
    group_of(10, 2, placement::end_aligned), group_of(1000, 1, placement::start_aligned),
    group_of(3000, 3, placement::cache_aligned), group_of(1, 1, placement::end_aligned),
    group_of(2048, 2, placement::start_aligned)};

TEST_F(slot_groups, each_slot_is_called_with_the_sizes_and_the_bytes_of_its_group) {
  auto session = open(twice(), several);
  ASSERT_TRUE(session) << session.failure().what;
  const std::vector<size_t> wanted = {10, 10, 1000, 3000, 3000, 3000, 1, 2048, 2048};
  for (int batch = 0; batch < 3; ++batch) {
    for (size_t slot = 0; slot < wanted.size(); ++slot) {
      auto in = floats((*session)->input(slot, 0));
      ASSERT_EQ(in.size(), wanted[slot]);
      ASSERT_EQ((*session)->output(slot, 0).size(), 4 * wanted[slot]);
      for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(slot * 10000 + i + static_cast<size_t>(batch));
      std::ranges::fill(floats((*session)->output(slot, 0)), -1.f);
    }
    ASSERT_EQ(call(**session, {8, 0, 6, 3, 2, 5, 7, 1}).end, batch_end::done);
    for (size_t slot = 0; slot < wanted.size(); ++slot)
      for (size_t i = 0; i < wanted[slot]; ++i) {
        float right = slot == 4 ? -1 : 2 * floats((*session)->input(slot, 0))[i];
        ASSERT_EQ(floats((*session)->output(slot, 0))[i], right) << "slot " << slot << ", not called: 4";
      }
  }
}

TEST_F(slot_groups, tensors_lie_as_the_placement_of_their_group_says) {
  auto session = open(bench_.artifact("unsigned long at = (unsigned long)in, to = (unsigned long)out;"
                                      "__builtin_memcpy(out, &at, 8); __builtin_memcpy(out + 2, &to, 8);"),
                      {group_of(10, 2, placement::end_aligned), group_of(10, 2, placement::start_aligned),
                       group_of(10, 2, placement::cache_aligned)});
  ASSERT_TRUE(session) << session.failure().what;
  ASSERT_EQ(call(**session, {0, 1, 2, 3, 4, 5}).end, batch_end::done);
  for (size_t slot = 0; slot < 6; ++slot)
    for (int which = 0; which < 2; ++which) {
      uint64_t at = 0;
      memcpy(&at, (*session)->output(slot, 0).data() + 8 * which, 8);
      if (slot < 2) {
        EXPECT_EQ((at + 40) % 4096, 0u) << slot;
      } else if (slot < 4) {
        EXPECT_EQ(at % 4096, 0u) << slot;
      } else {
        EXPECT_TRUE(at % 64 == 0 && at % 4096 != 0) << slot;
      }
    }
}

TEST_F(slot_groups, every_group_has_its_guards_at_both_ends) {
  struct wild {
    const char* body;
    placement faults_in;
  };
  // 1000 floats leave 96 bytes of their page on the side without a guard.
  const wild attacks[] = {{"out[n] = 1;", placement::end_aligned},
                          {"out[0] = ((volatile const float*)in)[n];", placement::end_aligned},
                          {"out[-1] = 1;", placement::start_aligned},
                          {"out[0] = ((volatile const float*)in)[-1];", placement::start_aligned}};
  const std::vector<slot_group> groups = {group_of(1000, 1, placement::end_aligned),
                                          group_of(1000, 2, placement::start_aligned),
                                          group_of(1000, 1, placement::end_aligned)};
  const std::vector<placement> place_of = {placement::end_aligned, placement::start_aligned, placement::start_aligned,
                                           placement::end_aligned};
  for (const auto& attack : attacks)
    for (uint32_t slot = 0; slot < place_of.size(); ++slot) {
      auto session = open(bench_.artifact(attack.body), groups);
      ASSERT_TRUE(session) << session.failure().what;
      auto report = call(**session, {slot});
      bool faults = place_of[slot] == attack.faults_in;
      EXPECT_EQ(report.end, faults ? batch_end::crashed : batch_end::done) << attack.body << " slot " << slot;
      if (faults) {
        EXPECT_EQ(report.status, SIGSEGV);
      }
    }
  // Half a page further is nobody's on either side, whichever group is the neighbour.
  for (const char* body : {"out[n + 512] = 1;", "out[-512] = 1;"})
    for (uint32_t slot = 0; slot < place_of.size(); ++slot) {
      auto session = open(bench_.artifact(body), groups);
      ASSERT_TRUE(session) << session.failure().what;
      EXPECT_EQ(call(**session, {slot}).end, batch_end::crashed) << body << " slot " << slot;
    }
}

TEST_F(slot_groups, memory_is_shared_between_sessions_of_the_same_groups_only) {
  auto first = open(twice(), several);
  ASSERT_TRUE(first) << first.failure().what;
  std::ranges::fill(floats((*first)->input(8, 0)), 21.f);
  ASSERT_EQ(call(**first, {8}).end, batch_end::done);
  auto second = open(twice(), several, first->get());
  ASSERT_TRUE(second) << second.failure().what;
  EXPECT_EQ((*first)->output(8, 0).data(), (*second)->output(8, 0).data());
  EXPECT_EQ(floats((*second)->output(8, 0))[0], 0) << "an answer of the first";
  auto others = several;
  others.back().place = placement::end_aligned;
  auto third = open(twice(), others, first->get());
  ASSERT_FALSE(third);
  EXPECT_EQ(third.failure().code, errc::invalid_input);
  EXPECT_FALSE(open(twice(), {several.front()}, first->get()));
}

TEST_F(slot_groups, what_cannot_be_is_refused_before_a_process_starts) {
  auto refusal = [&](const std::vector<slot_group>& groups) {
    auto session = open(twice(), groups);
    EXPECT_FALSE(session);
    if (session) return std::string("(opened)");
    EXPECT_EQ(session.failure().code, errc::invalid_input);
    return session.failure().what;
  };
  auto with = [&](slot_group other) { return std::vector<slot_group>{group_of(10, 1, {}), std::move(other)}; };
  EXPECT_EQ(refusal(std::vector<slot_group>(groups_max + 1, group_of(10, 1, {}))),
            "a session with 33 groups of slots: at most 32 are possible");
  EXPECT_EQ(refusal(with(group_of(10, 0, {}))), "a session without slots");
  EXPECT_EQ(refusal(with(group_of(10, calls_max, {}))), "a session with 4097 slots: at most 4096 are possible");
  auto half = slot_bytes_max / 2 / 4;
  EXPECT_NE(refusal(with(group_of(half, 1, {}))).find("bytes in all slots"), std::string::npos)
      << "each group alone would fit";
  auto entry = std::string(
      "a session whose groups of slots differ in their number of inputs, outputs or sizes: an "
      "artifact has one entry");
  slot_group other = group_of(10, 1, {});
  other.layout.input_bytes.push_back(40);
  EXPECT_EQ(refusal(with(other)), entry);
  other = group_of(10, 1, {});
  other.layout.output_bytes.clear();
  EXPECT_EQ(refusal(with(other)), entry);
  other = group_of(10, 1, {});
  other.layout.sizes.push_back(1);
  EXPECT_EQ(refusal(with(other)), entry);
  EXPECT_EQ(host_.counts().running, 0u);

  auto full = open(twice(), std::vector<slot_group>(groups_max, group_of(10, 1, placement::end_aligned)));
  ASSERT_TRUE(full) << full.failure().what;
  std::vector<uint32_t> all(groups_max);
  std::iota(all.begin(), all.end(), 0u);
  floats((*full)->input(groups_max - 1, 0))[9] = 3;
  EXPECT_EQ(call(**full, all).end, batch_end::done);
  EXPECT_EQ(floats((*full)->output(groups_max - 1, 0))[9], 6);
  auto beyond = (*full)->call(std::vector<uint32_t>{groups_max}, 1);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.failure().code, errc::invalid_input);
}

}  // namespace
}  // namespace kope
