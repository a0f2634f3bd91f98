#include "storage/graph_keys.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "messages/content_hash.hpp"

namespace kope::testing {
namespace {

namespace keys = graph_keys;
using namespace std::string_literals;

TEST(graph_keys, have_the_bytes_that_the_format_document_gives) {
  EXPECT_EQ(keys::number32(0x01020304), "\x01\x02\x03\x04");
  EXPECT_EQ(keys::of(attempt_id{0x0000000100000002}), "\0\0\0\x01\0\0\0\x02"s);
  EXPECT_EQ(keys::of(keys::timeline_key{exploration_id{1}, 258}), "\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\x01\x02"s);
  EXPECT_EQ(keys::of(keys::edge_key{attempt_id{1}, edge_kind::injected_into, 2, attempt_id{3}}),
            "\0\0\0\0\0\0\0\x01\x02\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03"s);
  EXPECT_EQ(keys::shown(keys::of_text("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(keys::of_normal_hash(exploration_id{1}, "abc"), "\0\0\0\0\0\0\0\x01"s + keys::of_text("abc"));
}

TEST(graph_keys, a_source_key_is_the_hash_itself_and_nothing_else_is_one) {
  EXPECT_EQ(keys::of_source(content_hash("abc")), keys::of_text("abc"));
  EXPECT_EQ(keys::of_source(""), std::nullopt);
  EXPECT_EQ(keys::of_source(content_hash("abc").substr(1)), std::nullopt);
  EXPECT_EQ(keys::of_source(std::string(64, 'g')), std::nullopt);
  EXPECT_EQ(keys::of_source(std::string(64, 'A')), std::nullopt);
}

TEST(graph_keys, show_text_as_text_and_bytes_as_hex) {
  EXPECT_EQ(keys::shown("last_exploration"), "last_exploration");
  EXPECT_EQ(keys::shown(keys::of(attempt_id{0x0000000100000002})), "0000000100000002");
}

TEST(graph_keys, of_another_length_are_not_decoded) {
  EXPECT_EQ(keys::to_number32("123"), std::nullopt);
  EXPECT_EQ(keys::to_number64("123456789"), std::nullopt);
  EXPECT_EQ(keys::to_timeline_key(std::string(15, 'x')), std::nullopt);
  EXPECT_EQ(keys::to_edge_key(std::string(26, 'x')), std::nullopt);
}

RC_GTEST_PROP(graph_keys, numbers_come_back_and_order_like_their_bytes, (uint64_t a, uint64_t b, uint32_t c)) {
  RC_ASSERT(keys::to_number64(keys::number64(a)) == a);
  RC_ASSERT(keys::to_number32(keys::number32(c)) == c);
  RC_ASSERT((a < b) == (keys::number64(a) < keys::number64(b)));
}

RC_GTEST_PROP(graph_keys, attempts_order_by_exploration_then_number, (uint32_t e, uint32_t m, uint32_t f, uint32_t n)) {
  auto a = make_attempt_id(exploration_id{e}, m), b = make_attempt_id(exploration_id{f}, n);
  RC_ASSERT((std::pair(e, m) < std::pair(f, n)) == (keys::of(a) < keys::of(b)));
}

RC_GTEST_PROP(graph_keys, timeline_keys_come_back_and_order_by_exploration_then_step,
              (uint64_t e, uint64_t s, uint64_t f, uint64_t t)) {
  keys::timeline_key a{exploration_id{e}, s}, b{exploration_id{f}, t};
  RC_ASSERT(keys::to_timeline_key(keys::of(a)) == a);
  RC_ASSERT((std::pair(e, s) < std::pair(f, t)) == (keys::of(a) < keys::of(b)));
}

RC_GTEST_PROP(graph_keys, edge_keys_come_back_and_order_by_end_kind_step,
              (uint64_t e, uint8_t k, uint64_t s, uint64_t o, uint64_t f, uint8_t l, uint64_t t, uint64_t p)) {
  keys::edge_key a{attempt_id{e}, static_cast<edge_kind>(k), s, attempt_id{o}};
  keys::edge_key b{attempt_id{f}, static_cast<edge_kind>(l), t, attempt_id{p}};
  RC_ASSERT(keys::to_edge_key(keys::of(a)) == a);
  RC_ASSERT((std::tuple(e, k, s, o) < std::tuple(f, l, t, p)) == (keys::of(a) < keys::of(b)));
}

RC_GTEST_PROP(graph_keys, of_text_are_short_whatever_the_text, (const std::string& text)) {
  RC_ASSERT(keys::of_text(text).size() == 32u);
  RC_ASSERT(keys::of_normal_hash(exploration_id{1}, text).size() == 40u);
}

}  // namespace
}  // namespace kope::testing
