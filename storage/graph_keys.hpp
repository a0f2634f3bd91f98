// Keys of the experience graph: pure functions between values and bytes. Every number is big-endian and of fixed width,
// so that byte order is number order; text enters a key only as its SHA-256, so that no key nears LMDB's 511 bytes.
// Any thread. docs/GRAPH_FORMAT.md has the same in tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "messages/ids.hpp"
#include "storage/graph_store.hpp"

namespace kope::graph_keys {

/// Names of the rows of table `meta`.
constexpr std::string_view format_row = "format";                      ///< 4 bytes: version of this encoding
constexpr std::string_view incarnation_row = "incarnation";            ///< 4 bytes: openings for writing so far
constexpr std::string_view last_exploration_row = "last_exploration";  ///< 8 bytes: highest id ever given or seen
constexpr std::string_view step_row = "step";                          ///< 8 bytes: the logical clock

std::string number32(uint32_t value);  ///< 4 bytes
std::string number64(uint64_t value);  ///< 8 bytes
std::optional<uint32_t> to_number32(std::string_view bytes);
std::optional<uint64_t> to_number64(std::string_view bytes);

inline std::string of(attempt_id id) { return number64(id.value); }
inline std::string of(exploration_id id) { return number64(id.value); }

/// Of a record that is found by its text (task, target, toolchain): 32 bytes, SHA-256 of the text.
std::string of_text(std::string_view text);

/// Of what was measured on a target at a moment, oldest first: 40 bytes.
std::string of_limits(std::string_view target_key, double unix_seconds);

/// Of a source: the 32 bytes of its content hash. Nothing when `hash` is not 64 lower-case hex digits.
std::optional<std::string> of_source(std::string_view hash);

/// Orders an exploration's attempts by step.
struct timeline_key {
  exploration_id exploration;
  uint64_t step = 0;
  bool operator==(const timeline_key&) const = default;
};
std::string of(const timeline_key& key);  ///< 16 bytes
std::optional<timeline_key> to_timeline_key(std::string_view bytes);

/// Of the judged attempt of an exploration with this normalised source: 40 bytes.
std::string of_normal_hash(exploration_id exploration, std::string_view normal_hash);

/// An edge as seen from one of its ends, oldest first within a kind.
struct edge_key {
  attempt_id end;
  edge_kind kind = edge_kind::derived_from;
  uint64_t step = 0;
  attempt_id other_end;
  bool operator==(const edge_key&) const = default;
};
std::string of(const edge_key& key);  ///< 25 bytes
std::optional<edge_key> to_edge_key(std::string_view bytes);

/// For error messages: text where all bytes are printable, hex otherwise.
std::string shown(std::string_view key);

}  // namespace kope::graph_keys
