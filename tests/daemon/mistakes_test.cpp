// What a user can get wrong, and what a machine can lack: one sentence that names the thing and the way out, and the
// documented exit code. No test here explores anything.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace kope::testing {
namespace {

const std::string data = KOPE_TEST_DATA;
const std::string small_task = data + "/tasks/small_matmul";

class mistakes_test : public ::testing::Test {
protected:
  /// Exit code, and one line on stderr with all of these words; nothing on stdout.
  void expect(const std::vector<std::string>& arguments, int code, const std::vector<std::string>& words,
              std::map<std::string, std::string> environment = {}) {
    auto ended = kope(home, arguments, std::move(environment));
    EXPECT_EQ(ended.code, code) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(ended.err.rfind("kope: ", 0), 0u) << ended.err;
    for (auto& word : words) EXPECT_NE(ended.err.find(word), std::string::npos) << word << " is not in: " << ended.err;
  }

  program_home home;
};

TEST_F(mistakes_test, an_unknown_task_is_not_found_and_the_nearest_is_named) {
  expect({"run", "matmull"}, 3, {"'matmull'", "'matmul'"});
  expect({"task", "show", "summ"}, 3, {"'summ'", "'sum'"});
}

TEST_F(mistakes_test, a_task_folder_that_is_not_there_is_named) { expect({"run", "./nowhere"}, 3, {"./nowhere"}); }

TEST_F(mistakes_test, an_unknown_timed_case_is_not_found_and_those_there_are_are_named) {
  expect({"run", small_task, "--case", "prodct"}, 3, {"prodct", "product"});
}

TEST_F(mistakes_test, an_unknown_flag_is_a_usage_mistake) {
  expect({"run", "--attempt", "3"}, 2, {"--attempt"});
  expect({"list", "--newest"}, 2, {"--newest"});
}

TEST_F(mistakes_test, an_unknown_command_is_a_usage_mistake_and_the_nearest_is_named) {
  expect({"runn"}, 2, {"'runn'", "'run'"});
}

TEST_F(mistakes_test, a_value_that_an_option_cannot_have_is_a_usage_mistake) {
  expect({"run", "--attempts", "many"}, 2, {"--attempts", "many"});
  expect({"run", small_task, "--policy", "clever"}, 2, {"clever", "local_search"});
  expect({"list"}, 2, {"KOPE_SEEDS"}, {{"KOPE_SEEDS", "3"}});
}

TEST_F(mistakes_test, an_unknown_key_of_a_configuration_is_named_with_its_line) {
  home.write("kope.toml", "attempts = 3\natempts = 4\n");
  expect({"run", small_task}, 2, {"kope.toml:2", "atempts", "attempts"});
}

TEST_F(mistakes_test, a_malformed_task_is_named_with_its_line) {
  home.write("tasks/broken/task.toml", "name = \"broken\"\ntitle = \"t\"\nlevle = 1\n");
  home.write("tasks/broken/reference.cpp", "");
  expect({"run", "./tasks/broken"}, 2, {"task.toml:3", "levle", "level"});
}

TEST_F(mistakes_test, a_missing_compiler_is_named_with_the_package_that_has_it) {
  expect({"run", small_task}, 1, {"g++", "apt-get install g++"}, {{"PATH", "/nonexistent"}});
  expect({"eval", small_task, data + "/eval/slower.cpp"}, 1, {"g++", "apt-get install g++"},
         {{"PATH", "/nonexistent"}});
}

TEST_F(mistakes_test, a_data_directory_that_cannot_be_made_is_named_with_the_flag) {
  home.write("occupied", "a file");
  auto below_a_file = (home.path() / "occupied" / "data").string();
  expect({"run", small_task, "--data-dir", below_a_file}, 1, {below_a_file});
  expect({"eval", small_task, data + "/eval/slower.cpp", "--data-dir", below_a_file}, 1, {below_a_file, "--data-dir"});
}

TEST_F(mistakes_test, sources_that_are_not_there_or_empty_are_named) {
  expect({"eval", small_task, "nowhere.cpp"}, 3, {"nowhere.cpp"});
  home.write("empty.cpp", "");
  expect({"eval", small_task, "empty.cpp"}, 2, {"empty.cpp", "kernel"});
}

TEST_F(mistakes_test, an_empty_data_directory_has_no_explorations) {
  auto listed = kope(home, {"list"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_EQ(listed.out, "");
  EXPECT_NE(listed.err.find("kope run"), std::string::npos) << listed.err;
  auto as_json = kope(home, {"list", "--json"});
  EXPECT_EQ(as_json.code, 0);
  EXPECT_EQ(nlohmann::json::parse(as_json.out, nullptr, false), nlohmann::json::array());
  EXPECT_FALSE(std::filesystem::exists(home.data())) << "reading makes nothing";
}

TEST_F(mistakes_test, an_id_that_is_none_is_a_usage_mistake_and_one_that_is_not_there_is_not_found) {
  expect({"show", "newest"}, 2, {"newest", "kope list"});
  expect({"show", "0000000000000009"}, 3, {home.data().string()});
  expect({"best", "matmul"}, 3, {home.data().string()});
}

TEST_F(mistakes_test, a_second_writer_gets_one_sentence_that_names_the_first) {
  program first(home, {"run", small_task});
  ASSERT_TRUE(first.says("at most")) << first.err();
  expect({"run", small_task, "--new"}, 1, {std::to_string(first.pid())});
  EXPECT_EQ(kope(home, {"list"}).code, 0) << "a reader is not in the way";
}

TEST_F(mistakes_test, documents_of_json_are_documents) {
  auto tasks = nlohmann::json::parse(kope(home, {"task", "list", "--json"}).out, nullptr, false);
  ASSERT_TRUE(tasks.is_array());
  EXPECT_GE(tasks.size(), 2u);
  auto shown = nlohmann::json::parse(kope(home, {"task", "show", small_task, "--json"}).out, nullptr, false);
  EXPECT_EQ(shown.value("name", ""), "small_matmul");
  EXPECT_EQ(shown["cases"].size(), 3u) << "the hidden one is not shown";
  auto line = kope(home, {"task", "show", small_task, "--signature"});
  EXPECT_EQ(line.out,
            "extern \"C\" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, "
            "int64_t k);\n");
}

}  // namespace
}  // namespace kope::testing
