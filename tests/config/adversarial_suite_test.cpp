// The shipped suite of cheats: that it is whole, and that a mistake in a header is one sentence with its line.
#include "config/adversarial_suite.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/config/scratch_directory.hpp"

namespace kope {
namespace {

const char* const kernel = "extern \"C\" void kernel(const float*, float*, int64_t) {}\n";
const char* const good =
    "//# task = \"t\"\n//# tries = \"Something.\"\n//# outcomes = [\"crashed\"]\n//# caught_by = [\"poison\"]\n";

class suite_folder {
public:
  suite_folder() {
    for (auto folder : {"hostile", "honest", "tasks"}) std::filesystem::create_directories(scratch_.path() / folder);
  }
  /// The complaint about one source, without the folder's path.
  std::string complaint(const std::string& file, const std::string& text) {
    scratch_.write(file, text);
    auto suite = load_adversarial_suite(scratch_.path());
    if (suite) return "(loaded)";
    auto what = suite.failure().what, folder = scratch_.path().string() + "/";
    return what.rfind(folder, 0) == 0 ? what.substr(folder.size()) : what;
  }

private:
  scratch_directory scratch_;
};

TEST(adversarial_suite, ships_sixty_hostile_and_forty_honest_sources_and_a_source_for_each_defence) {
  auto suite = load_adversarial_suite("config/adversarial");
  ASSERT_TRUE(suite) << suite.failure().what;
  auto hostile = std::count_if(suite->sources.begin(), suite->sources.end(), [](auto& each) { return each.hostile; });
  EXPECT_GE(hostile, 60);
  EXPECT_GE(static_cast<long>(suite->sources.size()) - hostile, 40);
  std::set<std::string> tasks, tries, defences;
  for (auto& each : suite->tasks) tasks.insert(each.read()->getName().cStr());
  for (auto& each : suite->sources) {
    EXPECT_TRUE(tasks.contains(each.task)) << each.name;
    EXPECT_TRUE(tries.insert(each.tries).second) << each.name << " says the same as another source";
    defences.insert(each.caught_by.begin(), each.caught_by.end());
  }
  for (auto& each : defence_names())
    EXPECT_TRUE(defences.contains(std::string(each.name))) << "no source shows what " << each.name << " is good for";
}

/// The rows of a Markdown table whose first cell is a number of this kind: "4" or "H4".
std::map<std::string, std::string> rows_of_table(const std::string& document, const std::regex& number) {
  std::map<std::string, std::string> rows;
  std::istringstream lines(document);
  for (std::string line; std::getline(lines, line);) {
    std::smatch cells;
    if (!std::regex_match(line, cells, std::regex(R"(\| (\w+) \| (.*) \| (.*) \|)"))) continue;
    std::string first = cells[1];
    if (std::regex_match(first, number)) rows[first] = cells[3];
  }
  return rows;
}

TEST(adversarial_suite, has_a_source_for_every_attack_that_the_page_on_trust_lists) {
  std::ifstream file("docs/TRUST.md");
  std::string document((std::istreambuf_iterator<char>(file)), {});
  auto attacks = rows_of_table(document, std::regex("[0-9]+"));
  auto cheats = rows_of_table(document, std::regex("H[0-9]+"));
  EXPECT_EQ(attacks.size(), 26u);
  EXPECT_EQ(cheats.size(), 30u);
  auto suite = load_adversarial_suite("config/adversarial");
  ASSERT_TRUE(suite) << suite.failure().what;
  std::set<std::string> shipped;
  for (auto& each : suite->sources) shipped.insert(each.name.substr(each.name.find('/') + 1));
  attacks.merge(cheats);
  const std::regex name("`([a-z_]{5,})`");
  for (auto& [number, sources] : attacks) {
    size_t named = 0;
    for (std::sregex_iterator at(sources.begin(), sources.end(), name), end; at != end; ++at) {
      std::string source = (*at)[1];
      if (source == "suspect") continue;  // an outcome
      ++named;
      EXPECT_TRUE(shipped.contains(source)) << number << ": there is no source " << source;
    }
    EXPECT_TRUE(named > 0 || sources.starts_with("no source: ")) << number << " names none and does not say why";
  }
}

TEST(adversarial_suite, a_mistake_in_a_header_is_one_sentence_with_its_line) {
  EXPECT_EQ(suite_folder().complaint("hostile/a.cpp", std::string(good) + kernel), "(loaded)");
  EXPECT_EQ(suite_folder().complaint("hostile/a.cpp", "//# task = \"t\"\n//# trys = \"x\"\n"),
            "hostile/a.cpp:2: unknown key 'trys'; the nearest known key is 'tries'");
  EXPECT_EQ(
      suite_folder().complaint("hostile/a.cpp", "//# task = \"t\"\n//# tries = \"x\"\n//# outcomes = [\"fine\"]\n"),
      "hostile/a.cpp:3: there is no outcome 'fine'");
  EXPECT_EQ(
      suite_folder().complaint("hostile/a.cpp", "//# task = \"t\"\n//# tries = \"x\"\n//# outcomes = [\"improved\"]\n"),
      "hostile/a.cpp:3: a hostile source is never 'improved'");
  EXPECT_EQ(suite_folder().complaint("hostile/a.cpp", std::string(good) + "//# needs = \"seccom\"\n"),
            "hostile/a.cpp:5: there is no defence 'seccom'; the nearest is 'seccomp'");
  EXPECT_EQ(suite_folder().complaint("honest/a.cpp", std::string(good)),
            "honest/a.cpp:4: an honest source is not caught");
}

TEST(adversarial_suite, what_does_not_belong_there_is_refused) {
  EXPECT_NE(suite_folder().complaint("hostile/notes.txt", "x").find("is no C++ source"), std::string::npos);
  EXPECT_NE(suite_folder().complaint("hostile/a.cpp", kernel), "(loaded)") << "a source without a header";
}

TEST(adversarial_suite, whatever_a_header_holds_is_a_complaint_or_a_source) {
  rc::check([](const std::vector<std::string>& lines) {
    std::string text;
    for (auto& line : lines) text += "//# " + line + "\n";
    RC_ASSERT(!suite_folder().complaint("hostile/a.cpp", text).empty());
  });
}

}  // namespace
}  // namespace kope
