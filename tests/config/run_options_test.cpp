// Options: layers, origins, refusals; and config/kope.toml against the table.
#include "config/run_options.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/config/scratch_directory.hpp"

namespace kope {
namespace {

class run_options_layers : public ::testing::Test {
protected:
  option_sources sources() {
    option_sources from;
    from.environment = {{"HOME", "/home-of-test"}};
    from.working_directory = "/working";
    from.project_file = scratch.path() / "kope.toml";
    from.user_file = scratch.path() / "user.toml";
    from.system_file = scratch.path() / "system.toml";
    return from;
  }
  std::string refusal(const option_sources& from) {
    auto options = load_run_options(from);
    if (options) return "(loaded)";
    auto text = options.failure().what;
    auto folder = scratch.path().string() + "/";
    return text.rfind(folder, 0) == 0 ? text.substr(folder.size()) : text;
  }
  scratch_directory scratch;
};

TEST_F(run_options_layers, are_all_built_in_when_nothing_else_is_there) {
  auto options = load_run_options(sources());
  ASSERT_TRUE(options) << options.failure().what;
  EXPECT_EQ(options->attempts.value, 40u);
  EXPECT_EQ(options->seconds.value, 120);
  EXPECT_EQ(options->tickets.value, 4u);
  EXPECT_EQ(options->policy.value, "local_search");
  EXPECT_EQ(options->data_dir.value, "/home-of-test/.local/state/kope");
  for (auto& row : option_rows()) EXPECT_EQ(row.origin(*options), option_origin::built_in) << row.name;
}

TEST_F(run_options_layers, win_from_the_system_file_up_to_the_flag) {
  auto from = sources();
  auto expect = [&](uint32_t attempts, option_origin origin, const std::string& place) {
    auto options = load_run_options(from);
    ASSERT_TRUE(options) << options.failure().what;
    EXPECT_EQ(options->attempts.value, attempts);
    EXPECT_EQ(options->attempts.origin, origin);
    EXPECT_NE(options->attempts.place.find(place), std::string::npos) << options->attempts.place;
    EXPECT_EQ(options->seconds.origin, option_origin::system_file);  // not touched by the layers above
    EXPECT_EQ(options->seconds.value, 1.5);
  };
  scratch.write("system.toml", "attempts = 1\nseconds = 1.5\n");
  expect(1, option_origin::system_file, "system.toml:1");
  scratch.write("user.toml", "# mine\nattempts = 2\n");
  expect(2, option_origin::user_file, "user.toml:2");
  scratch.write("kope.toml", "attempts = 3\n");
  expect(3, option_origin::project_file, "kope.toml:1");
  from.environment["KOPE_ATTEMPTS"] = "4";
  expect(4, option_origin::environment, "KOPE_ATTEMPTS");
  from.flags["attempts"] = "5";
  expect(5, option_origin::flag, "--attempts");
}

TEST_F(run_options_layers, keep_the_origin_of_a_value_that_equals_the_default) {
  auto from = sources();
  from.environment["KOPE_ATTEMPTS"] = "40";
  auto options = load_run_options(from);
  ASSERT_TRUE(options);
  EXPECT_EQ(options->attempts.origin, option_origin::environment);
}

TEST_F(run_options_layers, put_data_where_each_layer_means) {
  auto data_dir = [&](const option_sources& from) {
    auto options = load_run_options(from);
    return options ? options->data_dir.value.string() : options.failure().what;
  };
  auto from = sources();
  from.environment["XDG_STATE_HOME"] = "/state";
  EXPECT_EQ(data_dir(from), "/state/kope");
  from.environment["XDG_STATE_HOME"] = "relative";  // to be ignored, says the XDG specification
  EXPECT_EQ(data_dir(from), "/home-of-test/.local/state/kope");
  scratch.write("kope.toml", "data_dir = \"here\"\n");
  EXPECT_EQ(data_dir(from), (scratch.path() / "here").string());
  scratch.write("kope.toml", "data_dir = \"~/there\"\n");
  EXPECT_EQ(data_dir(from), "/home-of-test/there");
  from.environment["KOPE_DATA_DIR"] = "from/environment";
  EXPECT_EQ(data_dir(from), "/working/from/environment");
  from.flags["data_dir"] = "/by/flag";
  EXPECT_EQ(data_dir(from), "/by/flag");
}

TEST_F(run_options_layers, refuse_each_mistake_by_name_and_place) {
  struct {
    std::string file, sentence;
  } const files[] = {
      {"\nattempt = 3\n", "kope.toml:2: unknown key 'attempt'; the nearest known key is 'attempts'"},
      {"attempts = \"3\"\n", "kope.toml:1: 'attempts' is a text where a whole number is wanted"},
      {"attempts = 0\n", "kope.toml:1: 'attempts': '0' is not a whole number from 1 to 1000000"},
      {"seconds = 0.5\n", "kope.toml:1: 'seconds': '0.5' is not a number from 1 to 2592000"},
      {"tickets = 65\n", "kope.toml:1: 'tickets': '65' is not a whole number from 1 to 64"},
      {"policy = \"../x\"\n", "kope.toml:1: 'policy': '../x' is not a name of letters, digits, _ and -"},
      {"log_level = \"loud\"\n",
       "kope.toml:1: 'log_level': 'loud' is not a log level: trace, debug, info, warn, error or off"},
      {"[run]\nattempts = 3\n", "kope.toml:1: unknown key 'run'; the nearest known key is 'seed'"},
  };
  for (auto& file : files) {
    scratch.write("kope.toml", file.file);
    EXPECT_EQ(refusal(sources()), file.sentence);
  }
  scratch.write("kope.toml", "");
  auto from = sources();
  from.environment["KOPE_ATTEMPT"] = "3";
  EXPECT_EQ(refusal(from), "KOPE_ATTEMPT is not an option; the nearest one is KOPE_ATTEMPTS");
  from = sources();
  from.environment["KOPE_SEED"] = "-1";
  EXPECT_EQ(refusal(from), "KOPE_SEED: '-1' is not a whole number from 0 to 4294967295");
  from = sources();
  from.flags["second"] = "3";
  EXPECT_EQ(refusal(from), "--second is not an option; the nearest one is --seconds");
  from = sources();
  from.flags["seconds"] = "nan";
  EXPECT_EQ(refusal(from), "--seconds: 'nan' is not a number from 1 to 2592000");
  from = sources();
  from.environment.clear();
  EXPECT_EQ(refusal(from),
            "there is no place for data: neither HOME nor XDG_STATE_HOME is set; give --data-dir or set one");
}

TEST_F(run_options_layers, leave_other_variables_of_ours_alone) {
  auto from = sources();
  for (auto name : {"KOPE_SHARE", "KOPE_TEST_ALL", "KOPE_WRITE_GOLDEN", "KOPE_SANITIZE"}) from.environment[name] = "1";
  EXPECT_EQ(refusal(from), "(loaded)");
}

TEST_F(run_options_layers, have_the_defaults_that_the_shipped_file_shows) {
  auto from = sources();
  auto built_in = load_run_options(from);
  from.project_file = "config/kope.toml";
  auto shown = load_run_options(from);
  ASSERT_TRUE(shown) << shown.failure().what;
  std::ifstream file("config/kope.toml");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  for (auto& row : option_rows()) {
    EXPECT_EQ(row.text(*shown), row.text(*built_in)) << row.name;
    if (row.name != "data_dir") {
      EXPECT_EQ(row.text(*built_in), row.built_in) << row.name;
      EXPECT_EQ(row.origin(*shown), option_origin::project_file) << row.name << " is not in config/kope.toml";
    }
    EXPECT_NE(text.find("\n# " + std::string(row.why) + "\n" + std::string(row.name) + " = "), std::string::npos)
        << "config/kope.toml lacks, above " << row.name << ", the line: # " << row.why;
  }
}

TEST(option_names, become_flags_and_variables) {
  EXPECT_EQ(flag_name("data_dir"), "--data-dir");
  EXPECT_EQ(environment_name("data_dir"), "KOPE_DATA_DIR");
}

TEST(option_sources_of_the_process, have_this_environment) {
  setenv("KOPE_TEST_VARIABLE", "a=b", 1);
  auto sources = option_sources_of_process({{"seed", "3"}});
  unsetenv("KOPE_TEST_VARIABLE");
  EXPECT_EQ(sources.environment["KOPE_TEST_VARIABLE"], "a=b");
  EXPECT_EQ(sources.flags["seed"], "3");
  EXPECT_EQ(sources.project_file, "kope.toml");
}

}  // namespace
}  // namespace kope
