// The house rules find what they say and nothing else. Banned words are cut in two, or this file would break the rules.
#include "tests/tidy/house_rules.hpp"

#include <gtest/gtest.h>

namespace kope::tidy {
namespace {

// say

const lines document = {"# Title",
                        "## Rooms",
                        "Some prose.",
                        "",
                        "| room | folder | may use of ours | owns alone |",
                        "|---|---|---|---|",
                        "| low | `low/` | – | `tool.h`, `kit/` |",
                        "| high | `high/` | `low/` except `low/inner.hpp` | `shared/` |",
                        "| higher | `higher/` | `low/`, `other/contract.hpp`, `other/*_options.hpp` | `shared/` |",
                        "| other | `other/` | all | – |",
                        "| data | | | |",
                        "",
                        "## Next",
                        "| x | `y/` | all | |"};

std::vector<complaint> includes(const std::string& path, const std::string& line) {
  return check_includes({path, {line}}, read_rooms(document));
}

TEST(rules, read_the_first_table_under_the_heading) {
  auto rooms = read_rooms(document);
  ASSERT_EQ(rooms.size(), 4u);
  EXPECT_EQ(rooms[0].folder, "low/");
  EXPECT_EQ(rooms[0].owns, (std::vector<std::string>{"tool.h", "kit/"}));
  EXPECT_TRUE(rooms[0].may_use.empty());
  EXPECT_EQ(rooms[1].may_use, (std::vector<std::string>{"low/"}));
  EXPECT_EQ(rooms[1].must_not, (std::vector<std::string>{"low/inner.hpp"}));
  EXPECT_EQ(rooms[2].may_use.size(), 3u);
  EXPECT_TRUE(rooms[3].uses_all);
  EXPECT_TRUE(read_rooms({"## Something else", "| room |"}).empty());
}

TEST(rules, let_a_room_use_what_its_row_names) {
  EXPECT_TRUE(includes("high/a.cpp", "#include \"low/x.hpp\"").empty());
  EXPECT_TRUE(includes("high/a.cpp", "#include \"high/y.hpp\"").empty());
  EXPECT_TRUE(includes("higher/a.cpp", "#include \"other/contract.hpp\"").empty());
  EXPECT_TRUE(includes("higher/a.cpp", "#include \"other/my_options.hpp\"").empty());
  EXPECT_TRUE(includes("low/a.cpp", "#include <tool.h>").empty());
  EXPECT_TRUE(includes("low/a.cpp", "#include <vector>").empty());
  EXPECT_TRUE(includes("other/a.cpp", "#include \"high/y.hpp\"").empty());
}

TEST(rules, refuse_what_its_row_does_not_name) {
  EXPECT_EQ(includes("low/a.cpp", "#include \"high/y.hpp\"").size(), 1u);
  EXPECT_EQ(includes("high/a.cpp", "#include \"other/secret.hpp\"").size(), 1u);
  EXPECT_EQ(includes("high/a.cpp", "#include \"low/inner.hpp\"").size(), 1u);
  EXPECT_EQ(includes("low/a.cpp", "#include <shared/x.h>").size(), 1u);
  EXPECT_TRUE(includes("high/a.cpp", "#include <shared/x.h>").empty());
  EXPECT_TRUE(includes("higher/a.cpp", "#include <shared/x.h>").empty());
  EXPECT_EQ(includes("high/a.cpp", "#include <tool.h>").size(), 1u);
  EXPECT_EQ(includes("high/a.cpp", "  #  include <kit/part.hpp>").size(), 1u);
  EXPECT_EQ(includes("other/a.cpp", "#include <tool.h>").size(), 1u);  // "all" is of ours
  EXPECT_EQ(includes("low/a.cpp", "#include \"x.hpp\"").size(), 1u);
  EXPECT_EQ(includes("low/a.cpp", "#include \"../low/x.hpp\"").size(), 1u);
  EXPECT_EQ(includes("stray/a.cpp", "#include \"low/x.hpp\"").size(), 1u);
}

size_t texts(const std::string& path, const std::string& line) { return check_texts({path, {line}}).size(); }

TEST(rules, find_each_banned_text_once_and_only_where_it_is_banned) {
  EXPECT_EQ(texts("actors/a.cpp",
                  "#include <caf/"
                  "all.hpp>"),
            1u);
  EXPECT_EQ(texts("actors/a.cpp",
                  "  std::this_thread::sleep_"
                  "for(1s);"),
            1u);
  EXPECT_EQ(texts("toolchains/process.cpp",
                  "  u"
                  "sleep(10);"),
            0u);
  EXPECT_EQ(texts("tests/toolchains/process_test.cpp",
                  "  u"
                  "sleep(10);"),
            0u);
  EXPECT_EQ(texts("actors/a.cpp",
                  "  // never sleep_"
                  "for() here"),
            0u);
  EXPECT_EQ(texts("actors/a.cpp",
                  "  auto url = \"http://x\"; u"
                  "sleep(1);"),
            1u);
  EXPECT_EQ(texts("storage/a.cpp",
                  "  std::"
                  "cout << 1;"),
            1u);
  EXPECT_EQ(texts("daemon/a.cpp",
                  "  std::"
                  "cout << 1;"),
            0u);
  EXPECT_EQ(texts("actors/a.cpp",
                  "  ["
                  "=] { };"),
            1u);
  EXPECT_EQ(texts("actors/a.cpp",
                  "  ["
                  "=, &x] { };"),
            1u);
  EXPECT_EQ(texts("actors/a.cpp", "  a[i] = b; x[0]=1; [&x] {};"), 0u);
  EXPECT_EQ(texts("actors/a.hpp",
                  "  caf::"
                  "actor next;"),
            1u);
  EXPECT_EQ(texts("actors/a.hpp", "  caf::actor_system& system;"), 0u);
  EXPECT_EQ(texts("docs/a.md",
                  "FIX"
                  "ME later"),
            1u);
  EXPECT_EQ(texts("README.md",
                  "see /"
                  "home/anna/kope"),
            1u);
  EXPECT_EQ(texts("README.md",
                  "see /"
                  "work/kope"),
            1u);
  EXPECT_EQ(texts("docs/a.md",
                  "the path src/"
                  "work/x and $HOME/"
                  "work/x"),
            0u);
}

TEST(rules, find_what_is_too_long_badly_named_or_unopened) {
  EXPECT_EQ(check_size({"a/b.cpp", {std::string(121, 'x')}}).size(), 1u);
  EXPECT_TRUE(check_size({"a/b.cpp", {std::string(120, 'x')}}).empty());
  std::string accents;
  for (int i = 0; i < 120; ++i) accents += "\xc3\xa9";
  EXPECT_TRUE(check_size({"a/b.cpp", {accents}}).empty());
  EXPECT_EQ(check_size({"a/b.cpp", lines(451)}).size(), 1u);
  EXPECT_TRUE(check_size({"a/b.cpp", lines(450)}).empty());
  EXPECT_EQ(check_name("actors/util"
                       "ities.cpp")
                .size(),
            1u);
  EXPECT_EQ(check_name("actors/com"
                       "mon/x.cpp")
                .size(),
            1u);
  EXPECT_TRUE(check_name("actors/planner.cpp").empty());
  EXPECT_EQ(check_header({"a/b.hpp", {"// x"}}).size(), 1u);
  EXPECT_TRUE(check_header({"a/b.hpp", {"// x", "#pragma once"}}).empty());
  EXPECT_EQ(check_opening({"a/b.hpp", {"#pragma once"}}).size(), 1u);
  EXPECT_TRUE(check_opening({"a/b.cpp", {"#include \"a/b.hpp\""}}).empty());
  EXPECT_EQ(check_opening({"a/b.cpp", {"#include \"a/c.hpp\""}}).size(), 1u);
  EXPECT_TRUE(check_opening({"tests/a/b_test.cpp", {"#include \"a/c.hpp\""}}).empty());
}

TEST(rules, find_what_is_quoted_and_changed_since) {
  const std::vector<source_file> repository = {{"a/b.cpp", {"one", "two", "three"}}};
  auto quoted = [&](const lines& block, const std::string& from = "a/b.cpp") {
    lines text = {"Copied from [`" + from + "`](../" + from + "):", "", "```cpp"};
    text.insert(text.end(), block.begin(), block.end());
    text.push_back("```");
    return check_quotes({"docs/x.md", text}, repository).size();
  };
  EXPECT_EQ(quoted({"two", "three"}), 0u);
  EXPECT_EQ(quoted({"one", "three"}), 1u);
  EXPECT_EQ(quoted({"two "}), 1u);
  EXPECT_EQ(quoted({}), 1u);
  EXPECT_EQ(quoted({"two"}, "a/c.cpp"), 1u);
}

TEST(rules, find_links_that_lead_nowhere) {
  const std::vector<source_file> repository = {{"a/b.cpp", {}}, {"docs/x.md", {}}, {"docs/y.md", {}}};
  auto links = [&](const std::string& line) { return check_links({"docs/x.md", {line}}, repository).size(); };
  EXPECT_EQ(links("[b](../a/b.cpp), [a folder](../a/), [y](y.md#part), [here](#part), [far](https://x.org/y)"), 0u);
  EXPECT_EQ(links("[b](a/b.cpp) and [y](z.md#part) and [a folder](../c/)"), 3u);
  EXPECT_TRUE(check_links({"docs/x.md", {"```cpp", "[self](int a) {}", "```"}}, repository).empty());
}

}  // namespace
}  // namespace kope::tidy
