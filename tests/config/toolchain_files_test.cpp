// Descriptions of toolchains, and where shipped files are.
#include "config/toolchain_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "config/share.hpp"
#include "tests/config/scratch_directory.hpp"

namespace kope {
namespace {

const char* const good =
    "name = \"cpp-x\"\nlanguage = \"c++20\"\nprogram = \"x++\"\nbase_flags = [\"-O3\"]\nbaseline_flags = [\"-O2\"]\n";

std::string complaint(const scratch_directory& scratch, const std::string& toml) {
  scratch.write("cpp-x.toml", toml);
  auto options = load_toolchain(scratch.path(), "cpp-x");
  if (options) return "(loaded)";
  auto text = options.failure().what;
  auto folder = scratch.path().string() + "/";
  return text.rfind(folder, 0) == 0 ? text.substr(folder.size()) : text;
}

TEST(toolchain_files, reads_the_shipped_descriptions) {
  auto names = toolchain_names("config/toolchains");
  ASSERT_TRUE(names) << names.failure().what;
  ASSERT_NE(std::find(names->begin(), names->end(), "cpp-gcc"), names->end());
  for (auto& name : *names) {
    auto options = load_toolchain("config/toolchains", name);
    ASSERT_TRUE(options) << options.failure().what;
    EXPECT_EQ(options->name, name);
    EXPECT_FALSE(options->program.empty());
    EXPECT_FALSE(options->base_flags.empty());
    EXPECT_FALSE(options->baseline_flags.empty());
  }
}

TEST(toolchain_files, keeps_the_defaults_of_what_a_description_does_not_name) {
  scratch_directory scratch;
  scratch.write("cpp-x.toml", std::string(good) + "wall_seconds = 20\n");
  auto options = load_toolchain(scratch.path(), "cpp-x");
  ASSERT_TRUE(options) << options.failure().what;
  EXPECT_EQ(options->program, "x++");
  EXPECT_EQ(options->base_flags, (std::vector<std::string>{"-O3"}));
  EXPECT_EQ(options->baseline_flags, (std::vector<std::string>{"-O2"}));
  EXPECT_EQ(options->wall_seconds, 20u);
  EXPECT_EQ(options->cpu_seconds, cpp_compiler_options().cpu_seconds);
  EXPECT_EQ(options->package, "");  // g++ is not the package of every program
  EXPECT_TRUE(options->allowed_flags.empty());
}

TEST(toolchain_files, says_one_sentence_for_each_mistake) {
  scratch_directory scratch;
  EXPECT_EQ(complaint(scratch, std::string(good) + "wall_secs = 3\n"),
            "cpp-x.toml:6: unknown key 'wall_secs'; the nearest known key is 'wall_seconds'");
  EXPECT_EQ(complaint(scratch, std::string(good) + "wall_seconds = 0\n"),
            "cpp-x.toml:6: 'wall_seconds' is 0, outside 1 to 600");
  EXPECT_EQ(complaint(scratch, std::string(good) + "cpu_seconds = 11\n"),
            "cpp-x.toml:6: 'cpu_seconds' is 11, above 'wall_seconds' (10); a compiler could then never reach it");
  EXPECT_EQ(complaint(scratch, std::string(good) + "allowed_flags = [\"O2\"]\n"),
            "cpp-x.toml:6: 'allowed_flags' holds 'O2', a flag begins with -");
  EXPECT_EQ(complaint(scratch, std::string(good) + "allowed_flags = \"-O2\"\n"),
            "cpp-x.toml:6: 'allowed_flags' is a text where a list of texts is wanted");
  EXPECT_EQ(complaint(scratch, "name = \"cpp-y\"\n"),
            "cpp-x.toml:1: the toolchain is called 'cpp-y' but its file 'cpp-x.toml'; give them one name");
  EXPECT_EQ(complaint(scratch, "name = \"cpp-x\"\n"), "cpp-x.toml:1: the key 'language' is missing; it is a text");
}

TEST(toolchain_files, names_the_nearest_one_and_never_takes_a_path) {
  auto typo = load_toolchain("config/toolchains", "cpp-gc");
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.failure().code, errc::not_found);
  EXPECT_NE(typo.failure().what.find("did you mean 'cpp-gcc'?"), std::string::npos) << typo.failure().what;
  EXPECT_FALSE(load_toolchain("config/toolchains", "../toolchains/cpp-gcc"));
  EXPECT_FALSE(load_toolchain("config/toolchains", ""));
  auto nowhere = load_toolchain("config/none", "cpp-gcc");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.failure().code, errc::not_found);
}

TEST(share_directory_of_the_program, is_what_the_environment_says_or_the_source_it_was_built_from) {
  auto built = share_directory();
  ASSERT_TRUE(built) << built.failure().what;
  EXPECT_TRUE(std::filesystem::exists(*built / "tasks" / "matmul" / "task.toml"));
  scratch_directory scratch;
  setenv("KOPE_SHARE", scratch.path().c_str(), 1);
  auto wrong = share_directory();
  scratch.write("tasks/x/task.toml", "");
  scratch.write("config/kope.toml", "");
  auto right = share_directory();
  unsetenv("KOPE_SHARE");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.failure().code, errc::not_found);
  EXPECT_NE(wrong.failure().what.find("KOPE_SHARE is '"), std::string::npos);
  ASSERT_TRUE(right) << right.failure().what;
  EXPECT_EQ(*right, scratch.path());
}

}  // namespace
}  // namespace kope
