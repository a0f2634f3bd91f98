#include "toolchains/diagnostics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/toolchains/scratch_directory.hpp"
#include "toolchains/readable_text.hpp"

namespace kope {
namespace {

TEST(diagnostics, short_ones_stay_as_they_are) {
  EXPECT_EQ(shortened_diagnostics("a.cpp:1: error: no\n", 100), "a.cpp:1: error: no\n");
  EXPECT_EQ(shortened_diagnostics("", 100), "");
}

TEST(diagnostics, an_error_behind_pages_of_notes_comes_first) {
  std::string all;
  while (all.size() < 200'000) all += "a.cpp:7:   required from here, once more\n";
  all += "a.cpp:9: error: the reason\n  9 | code\n";
  auto text = shortened_diagnostics(all, 65536);
  EXPECT_TRUE(text.starts_with("a.cpp:9: error: the reason\n  9 | code\n")) << text.substr(0, 100);
  EXPECT_NE(text.find("required from here"), std::string::npos);
  EXPECT_LE(text.size(), 65536u);
}

RC_GTEST_PROP(diagnostics, stay_valid_and_short_whatever_they_are, (const std::string& raw, bool late)) {
  auto all = readable_text((late ? std::string(3000, 'x') + "\n" : "") + raw + "ä error: ö" + raw, 1 << 20);
  for (size_t bytes_max : {0, 1, 7, 100, 5000}) {
    auto text = shortened_diagnostics(all, bytes_max);
    RC_ASSERT(text.size() <= bytes_max);
    RC_ASSERT(readable_text(text, text.size()) == text);
  }
}

TEST(diagnostics, are_kept_by_content_in_a_bounded_directory) {
  scratch_directory scratch;
  kept_diagnostics kept(scratch.path() + "/kept");
  auto name = kept.keep("one");
  EXPECT_EQ(kept.keep("one"), name);
  for (size_t i = 0; i < kept_diagnostics::files_max + 10; ++i) kept.keep("text " + std::to_string(i));
  auto files = std::distance(std::filesystem::directory_iterator(scratch.path() + "/kept"), {});
  EXPECT_EQ(static_cast<size_t>(files), kept_diagnostics::files_max);
  std::ifstream last(scratch.path() + "/kept/" + kept.keep("last"));
  std::string text;
  std::getline(last, text);
  EXPECT_EQ(text, "last");
}

}  // namespace
}  // namespace kope
