// A user's own C file as a user has it: five go to a verdict without a task file being touched, five broken ones end in
// one clear sentence.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace kope::testing {
namespace {

const std::string files = std::string(KOPE_TEST_DATA) + "/own_kernels/";

struct own_file {
  const char* name;
  std::vector<std::string> arguments;
  const char* remark;  ///< something that has to be said about it
};

class good_file : public ::testing::TestWithParam<own_file> {};
class broken_file : public ::testing::TestWithParam<own_file> {};

size_t lines_of(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

TEST_P(good_file, goes_to_a_verdict_without_a_task_file_being_touched) {
  program_home home;
  std::vector<std::string> line{"run", files + GetParam().name, "--attempts", "2", "--seconds", "60", "--json"};
  line.insert(line.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  auto ended = kope(home, line);
  // faster or not is this machine's affair
  ASSERT_TRUE(ended.code == 0 || ended.code == 6) << ended.err << ended.out;
  EXPECT_NE(ended.err.find(GetParam().remark), std::string::npos) << ended.err;
  auto document = nlohmann::json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(document.is_object()) << ended.out;
  auto shown = kope(home, {"show", document["exploration"], "--json"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  auto attempts = nlohmann::json::parse(shown.out)["attempts"];
  ASSERT_GE(attempts.size(), 1u);
  // the first is his own text with the toolchain's flags: if that does not pass, the task is no good
  std::string outcome = attempts[0]["outcome"];
  EXPECT_TRUE(outcome == "improved" || outcome == "correct_not_faster" || outcome == "undecided")
      << outcome << ": " << attempts[0]["diagnostics"] << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    own_kernels, good_file,
    ::testing::Values(
        own_file{"gemm.c", {"--case", "M=96,N=96,K=96", "--flags", "-O2 -Wall"}, "A is an input of k * m (seen in"},
        own_file{"saxpy.c", {"--case", "n=100000"}, "y (n, seen in y[i]) goes in and out"},
        own_file{"blur.c", {"--case", "width=300,height=200"}, "not every element is written"},
        own_file{"row_norms.c", {"--case", "rows=200,cols=300"}, "a is an input of rows * cols (declared)"},
        own_file{"fast_inverse.c",
                 {"--function", "inverse_roots", "--case", "n=50000"},
                 "what is right is your function's own result"}),
    [](auto& each) {
      std::string name = each.param.name;
      return name.substr(0, name.find('.'));
    });

TEST_P(broken_file, ends_in_one_clear_sentence) {
  program_home home;
  std::vector<std::string> line{"run", files + GetParam().name};
  line.insert(line.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  auto ended = kope(home, line);
  EXPECT_TRUE(ended.code == 2 || ended.code == 3) << *ended.code << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(lines_of(ended.err), 1u) << ended.err;
  EXPECT_NE(ended.err.find(GetParam().remark), std::string::npos) << ended.err;
}

/// Names of the cases below.
constexpr const char* mistakes[] = {"no_such_function", "unknown_extents", "undefined_symbol",
                                    "output_aliases_an_input", "reference_crashes"};

INSTANTIATE_TEST_SUITE_P(
    own_kernels, broken_file,
    ::testing::Values(own_file{"gemm.c", {"--function", "gem"}, "defines no function 'gem'; it defines gemm, product"},
                      own_file{"unknown_extent.c", {"--function", "gather"}, "say it with --extent table=FORMULA"},
                      own_file{"undefined_symbol.c", {}, "uses activation, which it does not define"},
                      own_file{"aliases_its_input.c", {}, "an output that aliases an input cannot be judged"},
                      own_file{"crashes.c", {}, "shifted with n = "}),
    [](auto& each) { return std::string(mistakes[each.index]); });

TEST(own_kernels, a_task_folder_is_written_that_task_check_finds_fit_and_run_takes) {
  program_home home;
  auto made = kope(home, {"task", "new", files + "row_norms.c", "--output", "norms", "--case", "rows=64,cols=100"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out, "norms\n");
  auto checked = kope(home, {"task", "check", "./norms"});
  EXPECT_EQ(checked.code, 0) << checked.err << checked.out;
  auto again = kope(home, {"task", "new", files + "row_norms.c", "--output", "norms"});
  EXPECT_EQ(again.code, 2) << again.err;
}

TEST(own_kernels, the_winner_is_explained_and_exported_with_a_test_a_guard_and_a_patch_that_applies) {
  program_home home;
  // with -O0 as his flags something wins for certain
  auto ended = kope(home, {"run", files + "gemm.c", "--case", "M=64,N=64,K=64", "--flags", "-O0", "--attempts", "4",
                           "--seconds", "60", "--json"});
  ASSERT_EQ(ended.code, 0) << ended.err << ended.out;
  std::string id = nlohmann::json::parse(ended.out)["exploration"];
  auto explained = kope(home, {"explain", id, "--json"});
  ASSERT_EQ(explained.code, 0) << explained.err;
  auto document = nlohmann::json::parse(explained.out);
  ASSERT_GE(document["steps"].size(), 1u);
  EXPECT_EQ(document["steps"][0]["against"], "reference");
  EXPECT_GT(document["steps"][0]["gain"], 1.0);
  auto exported = kope(home, {"best", id, "--export", "out"});
  ASSERT_EQ(exported.code, 0) << exported.err;
  auto folder = home.path() / "out";
  for (auto name : {"kernel.c", "kernel.h", "isa_guard.c", "kernel_test.c", "kernel_reference.c", "gemm.c.patch"})
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  auto built = "cd " + folder.string() + " && ./build.sh >build.log 2>&1 && ./kernel_test >test.log 2>&1";
  EXPECT_EQ(std::system(built.c_str()), 0);
  auto patched = "cp " + files + "gemm.c " + folder.string() + " && cd " + folder.string() +
                 " && { ! grep -q '^@@' gemm.c.patch || patch -p1 --dry-run <gemm.c.patch >patch.log; }";
  EXPECT_EQ(std::system(patched.c_str()), 0);
}

}  // namespace
}  // namespace kope::testing
