// docs/GRAPH_FORMAT.md promises bytes; this compares its worked example with what the store writes.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "storage/graph_keys.hpp"
#include "storage/graph_on_tables.hpp"
#include "storage/memory_tables.hpp"
#include "storage/source_text.hpp"
#include "tests/storage/graph_records.hpp"

namespace kope::testing {
namespace {

using rows = std::map<std::pair<std::string, std::string>, std::string>;  // table, key in hex -> value in hex

std::string hex(std::string_view bytes) {
  std::string text;
  for (unsigned char byte : bytes) text += hex_of(byte).substr(14);
  return text;
}

/// Tests run in the repository's root. Not from __FILE__: a compiler cache may make that relative to the build folder.
constexpr const char* format_document = "docs/GRAPH_FORMAT.md";

/// The block that begins with ```rows: a line "table key", then its value in indented lines, in hex with blanks.
rows rows_of_document() {
  std::ifstream file(format_document);
  EXPECT_TRUE(file.good()) << format_document;
  rows found;
  std::string line, *value = nullptr;
  while (std::getline(file, line) && line != "```rows") {
  }
  while (std::getline(file, line) && line != "```") {
    if (line.starts_with(' ')) {
      for (char c : line)
        if (c != ' ') *value += c;
    } else {
      value = &found[{line.substr(0, line.find(' ')), line.substr(line.find(' ') + 1)}];
    }
  }
  return found;
}

rows rows_of_store() {
  std::shared_ptr<tables> all = make_memory_tables();
  auto store = std::move(*open_graph_on_tables(all, store_access::write));
  std::string source = "int x;\n";
  auto id = make_attempt_id(exploration_id{1}, 2);
  auto ended = outcome::build([&](wire::Outcome::Builder root) {
    root.setSource(source);
    auto attempt = root.initAttempt();
    attempt.initHeader().setAttempt(id.text());
    attempt.setParent(make_attempt_id(exploration_id{1}, 1).text());
    attempt.setSourceHash(content_hash(source));
    attempt.setNormalHash("n");
    attempt.setOutcome(wire::OutcomeClass::CORRECT_NOT_FASTER);
    attempt.setStage(wire::Stage::PROFILE);
    attempt.setFinal(true);
  });
  EXPECT_TRUE(store->commit(batch_of({ended})).ok());
  rows found;
  auto reader = std::move(*all->begin_read());
  for (size_t which = 0; which < table_count; ++which) {
    auto name = std::string(table_name(static_cast<table>(which)));
    auto done = reader->scan(static_cast<table>(which), {}, scan_order::ascending,
                             [&](std::string_view key, std::string_view value) {
                               found[{name, name == "meta" ? std::string(key) : hex(key)}] = hex(value);
                               return true;
                             });
    EXPECT_TRUE(done.ok());
  }
  return found;
}

std::string as_block(const rows& all) {
  std::string text;
  for (auto& [row, value] : all) {
    text += row.first + " " + row.second + "\n";
    for (size_t at = 0; at < value.size(); at += 64) {
      text += " ";
      for (size_t word = at; word < value.size() && word < at + 64; word += 16) text += " " + value.substr(word, 16);
      text += "\n";
    }
  }
  return text;
}

TEST(format_document, shows_the_rows_that_a_store_writes) {
  auto documented = rows_of_document(), written = rows_of_store();
  // Another version of zstd may write another frame of the same text: what the document shows must read as the source.
  std::pair<std::string, std::string> source_row{"sources", content_hash("int x;\n")};
  ASSERT_TRUE(documented.count(source_row)) << as_block(written);
  std::string frame;
  auto& text = documented[source_row];
  for (size_t at = 0; at + 1 < text.size(); at += 2)
    frame += static_cast<char>(std::stoi(text.substr(at, 2), nullptr, 16));
  EXPECT_EQ(*decompress_source(frame), "int x;\n");
  written[source_row] = text;
  EXPECT_EQ(documented, written) << as_block(written);
}

TEST(format_document, names_every_table) {
  std::ifstream file(format_document);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  for (size_t which = 0; which < table_count; ++which) {
    auto row = "| `" + std::string(table_name(static_cast<table>(which))) + "` |";
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace kope::testing
