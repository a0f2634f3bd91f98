// parcel<T>: canonical, immutable, and safe against any bytes.
#include "messages/parcel.hpp"

#include <capnp/dynamic.h>
#include <capnp/serialize.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <vector>

#include "messages/json.hpp"
#include "messages/status.capnp.h"
#include "messages/task.capnp.h"
#include "tests/messages/sample_messages.hpp"

namespace kope {
namespace {

std::vector<std::byte> bytes_of(const parcel<wire::Work>& work) {
  auto bytes = work.bytes();
  return {bytes.begin(), bytes.end()};
}

TEST(parcels, come_back_from_their_bytes_as_they_were) {
  auto work = sample_work();
  auto back = parcel<wire::Work>::from_bytes(work.bytes());
  ASSERT_TRUE(back) << back.failure().what;
  EXPECT_EQ(*back, work);
  auto view = back->read();
  EXPECT_EQ(view->getPlan().getHeader().getNumber(), 42u);
  EXPECT_EQ(view->getPlan().getParameters()[0].getValue(), 256);
  EXPECT_STREQ(view->getCandidate().getFlags()[1].cStr(), "-ffast-math");
  EXPECT_EQ(view->getBuild().getArtifact()[12], 0xa5);
  EXPECT_EQ(view->getVerdict().getOutcome(), wire::OutcomeClass::TIMED_OUT);
}

TEST(parcels, of_the_same_content_are_the_same_bytes_however_they_were_built) {
  auto one = parcel<wire::Status>::build([](wire::Status::Builder status) {
    status.setActor("planner");
    status.initLines(1).set(0, "idle");
  });
  auto other = parcel<wire::Status>::build([](wire::Status::Builder status) {
    status.initCounters(100);  // left behind, never reachable again
    status.initLines(1).set(0, "idle");
    status.setActor("a longer name that is given up");
    status.setActor("planner");
    status.initCounters(0);
    status.disownCounters();
  });
  EXPECT_EQ(one, other);
  auto different =
      parcel<wire::Status>::changed(*one.read(), [](wire::Status::Builder status) { status.setActor("coder"); });
  EXPECT_FALSE(one == different);
  EXPECT_STREQ(one.read()->getActor().cStr(), "planner");  // changed() made a new one
  EXPECT_EQ(parcel<wire::Status>::copy_of(*one.read()), one);
}

TEST(parcels, that_are_empty_read_as_a_message_in_which_nothing_is_set) {
  parcel<wire::Work> empty;
  EXPECT_FALSE(empty);
  EXPECT_TRUE(empty.bytes().empty());
  EXPECT_EQ(empty.read()->getPlan().getHeader().getNumber(), 0u);
  EXPECT_STREQ(empty.read()->getCandidate().getSource().cStr(), "");
  EXPECT_EQ(empty, parcel<wire::Work>());
  EXPECT_FALSE(empty == sample_work());
}

TEST(parcels, keep_their_bytes_alive_while_a_view_reads_them) {
  auto work = std::make_unique<parcel<wire::Work>>(sample_work());
  auto view = work->read();
  work.reset();
  EXPECT_STREQ(view->getPlan().getTask().cStr(), "matmul");  // AddressSanitizer would object
}

TEST(parcels, can_be_read_without_end_because_each_use_has_a_fresh_reader) {
  auto big = parcel<wire::Status>::build([](wire::Status::Builder s) { s.setActor(std::string(64 << 10, 'x')); });
  size_t read = 0;
  for (int i = 0; i < 3000; ++i) read += big.read()->getActor().size();  // one shared reader throws at 1,024 of these
  EXPECT_EQ(read, size_t{3000} * (64 << 10));
}

TEST(parcels, copy_foreign_bytes_of_any_alignment) {
  auto work = sample_work();
  for (size_t offset = 0; offset < 8; ++offset) {
    std::vector<std::byte> shifted(offset + work.bytes().size());
    std::memcpy(shifted.data() + offset, work.bytes().data(), work.bytes().size());
    auto back = parcel<wire::Work>::from_bytes(std::span(shifted).subspan(offset));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, work);
  }
}

TEST(parcels, refuse_bytes_that_are_no_message_with_one_sentence) {
  auto refusal = [](std::span<const std::byte> bytes) {
    auto parsed = parcel<wire::Work>::from_bytes(bytes);
    if (parsed) return std::string("(decoded)");
    EXPECT_EQ(parsed.failure().code, errc::invalid_input);
    return parsed.failure().what;
  };
  EXPECT_NE(refusal({}), "(decoded)");
  auto bytes = bytes_of(sample_work());
  EXPECT_NE(refusal(std::span(bytes).first(bytes.size() - 1)).find("whole number of words"), std::string::npos);
  std::vector<std::byte> huge(parcel_bytes_max + 8);
  EXPECT_NE(refusal(huge).find("larger than 16 MiB"), std::string::npos);
  for (size_t words = 1; words < bytes.size() / 8; ++words)  // cut anywhere: some pointer leaves the message
    EXPECT_NE(refusal(std::span(bytes).first(8 * words)), "(decoded)") << words;
}

// Two pointers to one object make a small message large to everybody who walks it.
TEST(parcels, refuse_a_message_whose_pointers_share_objects) {
  auto status = parcel<wire::Status>::build([](wire::Status::Builder s) {
    auto lines = s.initLines(64);
    for (uint32_t i = 0; i < 64; ++i) lines.set(i, std::string(4096, 'x'));
  });
  std::vector<std::byte> bytes(status.bytes().begin(), status.bytes().end());
  auto word = [&](size_t index) {
    uint64_t value;
    std::memcpy(&value, bytes.data() + 8 * index, 8);
    return value;
  };
  // Root pointer, struct (data and three pointers), then the list's 64 pointers: find the first pair that is adjacent
  // and points one text further, and let all point to the first text.
  size_t first = 0;
  for (size_t i = 1; i + 64 < bytes.size() / 8 && !first; ++i)
    if ((word(i) & 3) == 1 && word(i) >> 32 == word(i + 1) >> 32 && word(i) >> 32 == ((uint64_t{4097} << 3) | 2))
      first = i;
  ASSERT_NE(first, 0u);
  for (size_t i = 1; i < 64; ++i) {
    auto pointer =
        (word(first) & 0xffffffff00000000) | static_cast<uint32_t>(static_cast<uint32_t>(word(first)) - (i << 2));
    std::memcpy(bytes.data() + 8 * (first + i), &pointer, 8);
  }
  bytes.resize(8 * (first + 64) + 8 * 513);  // only the first text is left
  auto parsed = parcel<wire::Status>::from_bytes(bytes);
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.failure().what.find("raversal"), std::string::npos) << parsed.failure().what;
}

// A reader as every handler is one: walks all, twice; what from_bytes let in must not throw late.
template <class T>
void walk_twice(const parcel<T>& message) {
  for (int i = 0; i < 2; ++i) {
    auto view = message.read();
    auto json = to_json(capnp::DynamicStruct::Reader(*view));
    RC_ASSERT(!json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).empty());
  }
  RC_ASSERT(parcel<T>::copy_of(*message.read()).bytes().size() % 8 == 0);
}

bool holds(const std::string& what, const std::function<void()>& property) {
  rc::detail::TestParams parameters;
  parameters.maxSuccess = std::getenv("KOPE_TEST_ALL") ? 100000 : 3000;
  rc::detail::TestMetadata metadata;
  metadata.description = what;
  auto result = rc::detail::checkTestable(property, metadata, parameters);
  if (result.template is<rc::detail::SuccessResult>()) return true;
  rc::detail::printResultMessage(result, std::cerr);
  return false;
}

TEST(parcels, survive_any_mutation_of_their_bytes) {
  auto original = bytes_of(sample_work());
  int decoded = 0, refused = 0;
  EXPECT_TRUE(holds("mutated bytes are refused, or readable to the end", [&] {
    auto bytes = original;
    int edits = *rc::gen::inRange(1, 6);
    for (int i = 0; i < edits; ++i) {
      size_t at = *rc::gen::inRange<size_t>(0, bytes.size());
      switch (*rc::gen::inRange(0, 4)) {
        case 0:
          bytes[at] ^= static_cast<std::byte>(1 << *rc::gen::inRange(0, 8));
          break;
        case 1:
          bytes[at] = static_cast<std::byte>(*rc::gen::arbitrary<uint8_t>());
          break;
        case 2: {  // one word over another: pointers that are valid somewhere else
          size_t from = *rc::gen::inRange<size_t>(0, bytes.size() / 8);
          std::memmove(bytes.data() + at / 8 * 8, bytes.data() + from * 8, 8);
          break;
        }
        default:
          bytes.resize(std::max<size_t>(8, at / 8 * 8));
          break;
      }
    }
    auto work = parcel<wire::Work>::from_bytes(bytes);
    auto task = parcel<wire::Task>::from_bytes(bytes);  // bytes of one type read as another
    auto row = parcel<wire::Exploration>::from_bytes(bytes);
    ++(work ? decoded : refused);
    if (work) walk_twice(*work);
    if (task) walk_twice(*task);
    if (row) walk_twice(*row);
  }));
  EXPECT_GT(decoded, 100);
  EXPECT_GT(refused, 100);
}

TEST(parcels, survive_random_bytes) {
  EXPECT_TRUE(holds("random words are refused, or readable to the end", [] {
    auto words = *rc::gen::container<std::vector<uint64_t>>(rc::gen::arbitrary<uint64_t>());
    auto work = parcel<wire::Work>::from_bytes(std::as_bytes(std::span(words)));
    if (work) walk_twice(*work);
  }));
}

TEST(parcels, round_trip_any_text_and_number) {
  EXPECT_TRUE(holds("what was set is read", [] {
    auto text = *rc::gen::container<std::string>(rc::gen::distinctFrom('\0'));
    auto number = *rc::gen::arbitrary<double>();
    auto made = parcel<wire::Status>::build([&](wire::Status::Builder s) {
      s.setActor(text);
      s.initCounters(1)[0].setValue(number);
    });
    auto back = parcel<wire::Status>::from_bytes(made.bytes());
    RC_ASSERT(back.ok());
    RC_ASSERT(*back == made);
    RC_ASSERT(std::string(back->read()->getActor().cStr()) == text);
    RC_ASSERT(back->read()->getCounters()[0].getValue() == number);
  }));
}

}  // namespace
}  // namespace kope
