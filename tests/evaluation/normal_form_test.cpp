#include "actors/evaluation/normal_form.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace kope {
namespace {

TEST(normal_form, leaves_out_comments_and_white_space) {
  EXPECT_EQ(normal_form("int  x ; // one\n/* two\n */ int y=x ;"), "int x;int y=x;");
  EXPECT_EQ(normal_form("a + b"), normal_form("a+b"));
  EXPECT_EQ(normal_form("1 + b"), normal_form("1+b"));
  EXPECT_EQ(normal_form("f( x,\n  y )"), normal_form("f(x,y)"));
}

TEST(normal_form, keeps_tokens_apart_that_would_join) {
  EXPECT_NE(normal_form("int a"), normal_form("inta"));
  EXPECT_NE(normal_form("a + +b"), normal_form("a ++b"));
  EXPECT_NE(normal_form("a / *b"), normal_form("a /b"));
  EXPECT_NE(normal_form("L \"x\""), normal_form("L\"x\""));
  EXPECT_NE(normal_form("1e +1"), normal_form("1e+1"));
  EXPECT_NE(normal_form("x/**/y"), normal_form("xy"));
}

TEST(normal_form, respects_strings_characters_and_raw_strings) {
  EXPECT_EQ(normal_form("\"a  // b\""), "\"a  // b\"");
  EXPECT_EQ(normal_form("\"\\\"/* \" /* c */ x"), "\"\\\"/* \" x");
  EXPECT_EQ(normal_form("'\"' /* c */"), "'\"'");
  EXPECT_EQ(normal_form("R\"d(a \" ) // x)d\" // y"), "R\"d(a \" ) // x)d\"");
  EXPECT_NE(normal_form("R\"(a b)\""), normal_form("R\"(a  b)\""));
}

TEST(normal_form, does_not_take_a_digit_separator_for_a_character) {
  EXPECT_EQ(normal_form("1'000 /* x */ + 2'000"), "1'000+2'000");
}

TEST(normal_form, keeps_directives_on_lines_of_their_own) {
  EXPECT_EQ(normal_form("int a;\n  #define F(x) x // c\nint b;"), "int a;\n#define F(x) x\nint b;");
  EXPECT_NE(normal_form("#define F (x)\n"), normal_form("#define F(x)\n"));
  EXPECT_NE(normal_form("#define A 1\nint x;"), normal_form("#define A 1 int x;"));
  EXPECT_EQ(normal_form("#define A \\\n 1\n"), normal_form("#define A  1"));
}

TEST(normal_form, hash_knows_the_flags) {
  std::vector<std::string> none, fast{"-ffast-math"};
  EXPECT_NE(normal_hash("int x;", none), normal_hash("int x;", fast));
  EXPECT_EQ(normal_hash("int x;", none), normal_hash("int x; // more", none));
}

const std::vector<std::string>& tokens() {
  static const std::vector<std::string> all = {"int", "x1", "42",      "1e",  "+",  "-",   "++",   "/",           "*",
                                               ";",   "(",  "\"a b\"", "'c'", "<<", "1.5", "0x1p", "R\"(q  q)\"", "."};
  return all;
}

RC_GTEST_PROP(normal_form, does_not_depend_on_which_space_separates, ()) {
  auto picks = *rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(0, tokens().size()));
  static const std::vector<std::string> spaces = {" ", "\n", "\t \n", "/* c */", "// d\n", " /* \" */ "};
  std::string plain, decorated;
  for (size_t pick : picks) {
    plain += tokens()[pick] + " ";
    // A sign right before a comment would change what begins there.
    decorated +=
        tokens()[pick] + (tokens()[pick] == "/" ? " " : "") + spaces[*rc::gen::inRange<size_t>(0, spaces.size())];
  }
  RC_ASSERT(normal_form(plain) == normal_form(decorated));
}

RC_GTEST_PROP(normal_form, of_a_normal_form_is_itself, ()) {
  auto picks = *rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(0, tokens().size()));
  std::string source;
  for (size_t pick : picks) source += tokens()[pick] + " ";
  auto once = normal_form(source);
  RC_ASSERT(normal_form(once) == once);
}

RC_GTEST_PROP(normal_form, takes_any_bytes, (const std::string& bytes)) {
  // Signs that open something, in any order, are what a scanner gets lost in.
  auto signs = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("\"'/*\\\n#R(.) 1e+a")));
  auto form = normal_form(bytes + signs);
  RC_ASSERT(form.size() <= 2 * (bytes.size() + signs.size()));
}

}  // namespace
}  // namespace kope
