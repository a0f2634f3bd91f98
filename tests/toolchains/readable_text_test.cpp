#include "toolchains/readable_text.hpp"

#include <gtest/gtest.h>

using kope::readable_text;
using namespace std::literals;

TEST(readable_text, keeps_valid_text_as_it_is) {
  EXPECT_EQ(readable_text("a\tb\n\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 100),
            "a\tb\n\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(readable_text, replaces_bytes_that_are_not_utf_8) {
  EXPECT_EQ(readable_text("a\xff"
                          "b",
                          100),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(readable_text("\xc0\xaf", 100), "\xef\xbf\xbd\xef\xbf\xbd") << "overlong";
  EXPECT_EQ(readable_text("\xed\xa0\x80", 100), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "surrogate";
  EXPECT_EQ(readable_text("\xe2\x82", 100), "\xef\xbf\xbd\xef\xbf\xbd") << "cut short";
}

TEST(readable_text, leaves_out_terminal_escapes_and_control_characters) {
  EXPECT_EQ(readable_text("\x1b[1;31merror\x1b[0m: \x1b]8;;http://x\x1b\\link\x1b]8;;\a\0\r\x7f!"sv, 100),
            "error: link!");
  EXPECT_EQ(readable_text("\x1b]never closed\nnext", 100), "\nnext");
  EXPECT_EQ(readable_text("end\x1b[", 100), "end");
}

TEST(readable_text, stops_at_the_bound_and_never_inside_a_character) {
  EXPECT_EQ(readable_text("abcdef", 3), "abc");
  EXPECT_EQ(readable_text("ab\xe2\x82\xac", 4), "ab");
  EXPECT_EQ(readable_text("\xff\xff\xff", 7).size(), 6u);
}
