// Both kinds of tables against a plain map: random transactions, committed or dropped, and random ranges.
#include "storage/tables.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "storage/lmdb_tables.hpp"
#include "storage/memory_tables.hpp"
#include "tests/storage/scratch_directory.hpp"

namespace kope::testing {
namespace {

using model = std::map<std::string, std::string>;
using row_list = std::vector<std::pair<std::string, std::string>>;

row_list rows_of(const table_reader& reader, const key_range& range, scan_order order, size_t limit = SIZE_MAX) {
  row_list rows;
  auto done = reader.scan(table::normal, range, order, [&](std::string_view key, std::string_view value) {
    rows.emplace_back(key, value);
    return rows.size() < limit;
  });
  EXPECT_TRUE(done.ok());
  return rows;
}

row_list expected_rows(const model& all, const key_range& range, scan_order order) {
  row_list rows;
  for (auto& row : all)
    if (row.first >= range.first && (range.last.empty() || row.first <= range.last)) rows.push_back(row);
  if (order == scan_order::descending) std::reverse(rows.begin(), rows.end());
  return rows;
}

/// Few different bytes, so that keys meet, lie side by side and are prefixes of each other.
std::string any_key(size_t least) {
  std::string key(*rc::gen::inRange<size_t>(least, 4), '\0');
  for (auto& byte : key) byte = *rc::gen::element('\x00', '\x01', '\x7f', '\x80', '\xff');
  return key;
}

void expect_same(const table_reader& reader, const model& all) {
  RC_ASSERT(*reader.rows(table::normal) == all.size());
  RC_ASSERT(*reader.rows(table::timeline) == 0u);
  for (int i = 0; i < 4; ++i) {
    key_range range{any_key(0), any_key(0)};
    for (auto order : {scan_order::ascending, scan_order::descending}) {
      auto expected = expected_rows(all, range, order);
      RC_ASSERT(rows_of(reader, range, order) == expected);
      if (expected.size() > 1) expected.resize(1);
      RC_ASSERT(rows_of(reader, range, order, 1) == expected);
    }
    auto key = any_key(1);
    auto found = *reader.get(table::normal, key);
    RC_ASSERT(found.has_value() == (all.count(key) == 1));
    if (found) RC_ASSERT(*found == all.at(key));
  }
}

void behave_like_a_map(tables& under_test) {
  model all;
  auto transactions = *rc::gen::inRange(1, 6);
  for (int t = 0; t < transactions; ++t) {
    auto before = under_test.begin_read();
    RC_ASSERT(before.ok());
    model changed = all;
    {
      auto writer = under_test.begin_write();
      RC_ASSERT(writer.ok());
      auto changes = *rc::gen::inRange(0, 12);
      for (int i = 0; i < changes; ++i) {
        auto key = any_key(1);
        if (*rc::gen::inRange(0, 3) == 0) {
          RC_ASSERT((*writer)->erase(table::normal, key).ok());
          changed.erase(key);
        } else {
          auto value = *rc::gen::arbitrary<std::string>();
          RC_ASSERT((*writer)->put(table::normal, key, value).ok());
          changed[key] = value;
        }
      }
      expect_same(**writer, changed);
      if (*rc::gen::arbitrary<bool>()) {
        RC_ASSERT((*writer)->commit().ok());
      } else {
        changed = all;
      }
    }
    expect_same(**before, all);
    all = changed;
    auto after = under_test.begin_read();
    RC_ASSERT(after.ok());
    expect_same(**after, all);
  }
}

RC_GTEST_PROP(tables, in_memory_behave_like_a_map, ()) { behave_like_a_map(*make_memory_tables()); }

RC_GTEST_PROP(tables, in_lmdb_behave_like_a_map, ()) {
  scratch_directory scratch;
  auto made = open_lmdb_tables(scratch.path("t"), table_access::write);
  RC_ASSERT(made.ok());
  behave_like_a_map(**made);
}

}  // namespace
}  // namespace kope::testing
