// Files that nobody meant: mutations of the shipped ones never crash a loader, and a refusal is always one line.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "config/formula.hpp"
#include "config/nearest_name.hpp"
#include "config/reference_text.hpp"
#include "config/run_options.hpp"
#include "config/task_files.hpp"
#include "config/toolchain_files.hpp"
#include "tests/config/scratch_directory.hpp"

namespace kope {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// One to eight edits: bytes, and the pieces of TOML that a parser stumbles over.
std::string mutated(std::string text) {
  static const std::vector<std::string> pieces = {"[",
                                                  "]",
                                                  "[[",
                                                  "]]",
                                                  "{",
                                                  "}",
                                                  "\"",
                                                  "\"\"\"",
                                                  "'",
                                                  "=",
                                                  ".",
                                                  ",",
                                                  "\n",
                                                  "#",
                                                  "\\u0000",
                                                  "\\UFFFFFFFF",
                                                  "nan",
                                                  "inf",
                                                  "-",
                                                  "9223372036854775807",
                                                  "1e308",
                                                  "0x",
                                                  "1979-05-27T07:32:00Z",
                                                  "true",
                                                  "cases",
                                                  "sizes",
                                                  "m = 0",
                                                  "\xff",
                                                  "\xef\xbb\xbf"};
  int edits = *rc::gen::inRange(1, 9);
  for (int i = 0; i < edits && !text.empty(); ++i) {
    size_t at = *rc::gen::inRange<size_t>(0, text.size());
    size_t length = *rc::gen::inRange<size_t>(0, 24);
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, *rc::gen::elementOf(pieces));
        break;
      case 2:
        text[at] = *rc::gen::arbitrary<char>();
        break;
      case 3:
        text.insert(at, text.substr(*rc::gen::inRange<size_t>(0, text.size()), length));
        break;
      default:
        text.resize(at);
        break;
    }
  }
  return text;
}

void refuses_in_one_line(const error& failure) {
  RC_ASSERT(!failure.what.empty());
  RC_ASSERT(failure.what.find('\n') == std::string::npos);
  RC_ASSERT(failure.what.find('\0') == std::string::npos);
  RC_ASSERT(failure.code != errc::internal);
}

// Each property says how often on its own: 500 mutants a file take about a second under a sanitizer; --all takes
// 10,000.
bool holds(const std::string& what, const std::function<void()>& property) {
  rc::detail::TestParams parameters;
  parameters.maxSuccess = std::getenv("KOPE_TEST_ALL") ? 10000 : 500;
  parameters.maxSize = 100;
  rc::detail::TestMetadata metadata;
  metadata.description = what;
  auto result = rc::detail::checkTestable(property, metadata, parameters);
  if (result.template is<rc::detail::SuccessResult>()) return true;
  rc::detail::printResultMessage(result, std::cerr);
  return false;
}

TEST(hostile_files, make_no_task_loader_crash) {
  scratch_directory scratch;
  scratch.write("t/reference.cpp", text_of("tasks/matmul/reference.cpp"));
  auto original = text_of("tasks/matmul/task.toml");
  int refused = 0;
  EXPECT_TRUE(holds("a mutated task file is loaded or refused in one line", [&] {
    scratch.write("t/task.toml", mutated(original));
    auto task = load_task(scratch.path() / "t");
    if (task) return;
    ++refused;
    refuses_in_one_line(task.failure());
  }));
  EXPECT_GT(refused, 50);  // the mutations do find something
}

TEST(hostile_files, make_no_reference_check_crash) {
  scratch_directory scratch;
  scratch.write("t/task.toml", text_of("tasks/matmul/task.toml"));
  auto original = text_of("tasks/matmul/reference.cpp");
  EXPECT_TRUE(holds("a mutated reference is loaded or refused in one line", [&] {
    scratch.write("t/reference.cpp", mutated(original));
    auto task = load_task(scratch.path() / "t");
    if (!task) refuses_in_one_line(task.failure());
  }));
}

TEST(hostile_files, make_no_options_loader_crash) {
  scratch_directory scratch;
  auto original = text_of("config/kope.toml");
  EXPECT_TRUE(holds("a mutated options file is loaded or refused in one line", [&] {
    option_sources from;
    from.environment = {{"HOME", "/home-of-test"}};
    from.project_file = scratch.write("kope.toml", mutated(original));
    auto options = load_run_options(from);
    if (!options) refuses_in_one_line(options.failure());
  }));
}

TEST(hostile_files, make_no_toolchain_loader_crash) {
  scratch_directory scratch;
  auto original = text_of("config/toolchains/cpp-gcc.toml");
  EXPECT_TRUE(holds("a mutated description is loaded or refused in one line", [&] {
    scratch.write("cpp-gcc.toml", mutated(original));
    auto options = load_toolchain(scratch.path(), "cpp-gcc");
    if (!options) refuses_in_one_line(options.failure());
  }));
}

TEST(hostile_files, are_refused_when_they_nest_or_grow_without_end) {
  scratch_directory scratch;
  scratch.write("t/reference.cpp", "");
  for (auto& toml : {"a = " + std::string(200000, '['), "[" + std::string(200000, 'a') + "." + std::string(9, 'b'),
                     std::string((1 << 20) + 1, '#'), "name = \"" + std::string(100000, 'x') + "\""}) {
    scratch.write("t/task.toml", toml);
    auto task = load_task(scratch.path() / "t");
    ASSERT_FALSE(task);
    EXPECT_EQ(task.failure().code, errc::invalid_input);
    EXPECT_LT(task.failure().what.size(), 600u);
  }
  std::filesystem::create_directories(scratch.path() / "folder" / "task.toml");
  EXPECT_FALSE(load_task(scratch.path() / "folder"));
}

TEST(formulas, compute_with_the_named_sizes) {
  std::vector<named_value> sizes = {{"m", 3}, {"n", 5}};
  EXPECT_EQ(*evaluate_formula("2 * m * n + 1", sizes), 31);
  EXPECT_EQ(*evaluate_formula("max(m, n) ^ 2", sizes), 25);
  for (auto text : {"m +", "m = 4", "m, n", "m * x", "1 / 0", "0 / 0", "m - n", "((((", "", "\"a\"", "sin(", "m n"})
    EXPECT_FALSE(evaluate_formula(text, sizes)) << text;
  EXPECT_FALSE(evaluate_formula(std::string(4000, '('), sizes));
  EXPECT_FALSE(evaluate_formula(std::string(4000, '-') + "1", {}));
}

TEST(nearest_names, count_edits_and_swaps) {
  EXPECT_EQ(edit_distance("sizes", "sizes"), 0u);
  EXPECT_EQ(edit_distance("siezs", "sizes"), 1u);
  EXPECT_EQ(edit_distance("zisse", "sizes"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  std::vector<std::string_view> known = {"matmul", "sum"};
  EXPECT_EQ(nearest_name("matmull", known), "matmul");
  EXPECT_EQ(nearest_name("anything", {}), "");
}

TEST(comments, are_blanked_without_moving_lines_or_touching_strings) {
  EXPECT_EQ(without_comments("a /* b\n c */ d"), "a     \n      d");
  EXPECT_EQ(without_comments("a // b\nc"), "a     \nc");
  EXPECT_EQ(without_comments("\"// no\" // yes"), "\"// no\"       ");
  EXPECT_EQ(without_comments("'\"' // x"), "'\"'     ");
  EXPECT_EQ(without_comments("/*"), "  ");
  EXPECT_EQ(without_comments("\"\\"), "\"\\");
}

}  // namespace
}  // namespace kope
