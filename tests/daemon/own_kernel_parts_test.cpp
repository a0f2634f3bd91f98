// The plain parts that make a task of a user's file: extents, roles, flags, texts. No program is started.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "actors/evaluation/own_part.hpp"
#include "daemon/exported.hpp"
#include "daemon/own_kernel/array_use.hpp"
#include "daemon/own_kernel/build_flags.hpp"
#include "daemon/own_kernel/kernel_plan.hpp"
#include "daemon/own_kernel/size_formula.hpp"

namespace kope::testing {
namespace {

std::string text_of(const std::optional<size_formula>& formula) { return formula ? formula->text() : "none"; }

array_use use_of(const std::string& text, const std::string& array) {
  auto tokens = split_c(text);
  return find_array_use(tokens, "f", {array})[array];
}

TEST(size_formula, multiplies_out_and_says_its_factors) {
  EXPECT_EQ(text_of(parse_size_formula("(m - 1) * k + (k - 1) + 1")), "k * m");
  EXPECT_EQ(text_of(parse_size_formula("(int)n * 3")), "3 * n");
  EXPECT_EQ(text_of(parse_size_formula("q->cols * q->rows")), "q.cols * q.rows");
  EXPECT_EQ(text_of(parse_size_formula("(y) * (q)->cols")), "q.cols * y");
  EXPECT_EQ(text_of(parse_size_formula("n / 2")), "none");
  EXPECT_EQ(text_of(parse_size_formula("f(n)")), "none");
  EXPECT_EQ(parse_size_formula("2 * n * m")->factors(), (std::vector<std::string>{"2", "m", "n"}));
  EXPECT_EQ(parse_size_formula("n + 1")->factors(), std::nullopt);
}

RC_GTEST_PROP(size_formula, takes_any_text, (const std::string& text)) { parse_size_formula(text); }

RC_GTEST_PROP(size_formula, agrees_with_arithmetic, (int8_t a, int8_t b, int8_t c)) {
  std::map<std::string, double> values{{"a", a}, {"b", b}, {"c", c}};
  RC_ASSERT(parse_size_formula("(a + b) * (a - c) - 2 * (b - 3)")->value(values) ==
            (double(a) + b) * (double(a) - c) - 2 * (double(b) - 3));
}

TEST(array_use, sees_how_far_loops_reach) {
  EXPECT_EQ(text_of(use_of("void f(float* a, int m, int k) { for (int i = 0; i < m; ++i) for (int p = 0; p < k; p++) "
                           "a[i * k + p] = 0; }",
                           "a")
                        .elements),
            "k * m");
  EXPECT_EQ(
      text_of(use_of("void f(float* a, int n) { for (int i = 1; i < n - 1; ++i) a[i + 1] = a[i - 1]; }", "a").elements),
      "n");
  EXPECT_EQ(text_of(use_of("void f(float* a, int n) { for (int i = n - 1; i >= 0; --i) a[i] = 0; }", "a").elements),
            "n");
  EXPECT_EQ(text_of(use_of("void f(float* a, int n, int m) { for (int i = 0; i < n; ++i) { float* row = a + i * m; "
                           "for (int j = 0; j < m; ++j) row[j] = 1; } }",
                           "a")
                        .elements),
            "m * n");
  EXPECT_EQ(
      text_of(use_of("void f(float* a, int* at, int n) { for (int i = 0; i < n; ++i) a[at[i]] = 0; }", "a").elements),
      "none");
}

TEST(kernel_plan, a_loop_that_leaves_the_border_out_shows_the_whole_array) {
  std::string text =
      "void f(const float* in, float* out, int h, int w) { for (int y = 1; y < h - 1; ++y) for (int x = 1; x < w - 1; "
      "++x) out[y * w + x] = in[(y - 1) * w + x] + in[(y + 1) * w + x]; }";
  auto number = [](c_kind kind, bool constant = false) {
    c_type type;
    type.kind = kind;
    type.bytes = 4;
    type.constant = constant;
    type.name = kind == c_kind::whole ? "int" : "float";
    return type;
  };
  auto array = [&](bool constant) {
    c_type type;
    type.kind = c_kind::pointer;
    type.target = std::make_shared<const c_type>(number(c_kind::floating, constant));
    return type;
  };
  c_function function;
  function.name = "f";
  function.parameters = {
      {"in", array(true)}, {"out", array(false)}, {"h", number(c_kind::whole)}, {"w", number(c_kind::whole)}};
  auto tokens = split_c(text);
  auto plan = plan_kernel(function, tokens, {});
  ASSERT_TRUE(plan) << plan.failure().what;
  ASSERT_TRUE(plan->unknown_extents.empty());
  EXPECT_EQ(plan->tensors[0].extents, (std::vector<std::string>{"h", "w"}));
  EXPECT_EQ(plan->tensors[1].extents, (std::vector<std::string>{"h", "w"}));
  EXPECT_NE(plan->adapter.find("void kernel(const float* in, float* out, int64_t h, int64_t w) {\n  f(in, out, (int)h, "
                               "(int)w);\n}"),
            std::string::npos)
      << plan->adapter;
  auto wrong = plan_kernel(function, tokens, {.extents = {{"nowhere", "h"}}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.failure().what, "--extent nowhere=h: f has no array 'nowhere'");
}

TEST(array_use, tells_reading_from_writing) {
  auto written = use_of("void f(float* a, int n) { for (int i = 0; i < n; ++i) a[i] = 1; }", "a");
  EXPECT_TRUE(written.writes && !written.reads);
  auto both = use_of("void f(float* a, int n) { for (int i = 0; i < n; ++i) a[i] += 1; }", "a");
  EXPECT_TRUE(both.writes && both.reads);
  auto zeroed = use_of(
      "void f(float* a, int n) { for (int i = 0; i < n; ++i) { a[i] = 0; for (int j = 0; j < n; ++j) a[i] += j; } }",
      "a");
  EXPECT_TRUE(zeroed.writes && !zeroed.reads) << "what is read was written just before";
  auto itself = use_of("void f(float* a, int n) { for (int i = 0; i < n; ++i) a[i] = a[i] + 1; }", "a");
  EXPECT_TRUE(itself.writes && itself.reads);
  auto other = use_of("void f(float* a, int n) { for (int i = 1; i < n; ++i) { a[i] = 0; a[i] += a[i - 1]; } }", "a");
  EXPECT_TRUE(other.writes && other.reads);
  auto read = use_of("float f(float* a, int n) { float s = 0; for (int i = 0; i < n; ++i) s += a[i]; return s; }", "a");
  EXPECT_TRUE(!read.writes && read.reads);
  auto helper = use_of("static void g(float* x) { x[0] = 1; } void f(float* a, int n) { g(a); }", "a");
  EXPECT_TRUE(helper.writes && !helper.reads && !helper.unknown);
  auto away = use_of("void g(float*); void f(float* a, int n) { g(a); }", "a");
  EXPECT_TRUE(away.writes && away.reads && away.unknown);
}

RC_GTEST_PROP(array_use, takes_any_body, ()) {
  static const std::vector<std::string> words{"a", "i", "n", "for", "(",  ")", "[", "]", "{", "}", ";",  "=",
                                              "+", "*", "<", "++",  "->", ".", ",", "&", "1", "f", "if", "float"};
  std::string body;
  for (auto& word : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(words))) body += word + " ";
  use_of("void f(float* a, int n) {" + body + "}", "a");
}

TEST(build_flags, are_sorted_by_what_becomes_of_them) {
  std::vector<std::string> allowed{"-O2", "-m*"};
  auto sorted =
      sort_build_flags("-O2 -march=native -Wall -I inc -Isrc -DN=4 '-DX=\"a b\"' -lm -std=c99 -o out", allowed, "x");
  ASSERT_TRUE(sorted) << sorted.failure().what;
  EXPECT_EQ(sorted->baseline, (std::vector<std::string>{"-O2", "-march=native"}));
  EXPECT_EQ(sorted->directories, (std::vector<std::string>{"inc", "src"}));
  EXPECT_EQ(sorted->definitions, (std::vector<std::string>{"N=4", "X=\"a b\""}));
  EXPECT_EQ(sorted->ignored, (std::vector<std::string>{"-Wall", "-lm", "-std=c99", "-o out"}));
  for (auto bad : {"-fplugin=x", "@file", "-B/x", "x.c", "-I", "'-O2"})
    EXPECT_FALSE(sort_build_flags(bad, allowed, "x")) << bad;
}

TEST(exported, gives_his_own_file_back_without_what_was_put_in) {
  std::string text = std::string(own_part_begins) + std::string(defined_begins) + "\n#define N 4\n" +
                     std::string(inlined_ends) + "\n" + std::string(inlined_begins) + "#include \"x.h\"\nint y;\n" +
                     std::string(inlined_begins) + "#include \"z.h\"\n" + std::string(inlined_ends) + "\n" +
                     std::string(inlined_ends) + "\nint x;\n" + std::string(own_part_ends) + "void kernel() {}\n";
  EXPECT_EQ(own_file_of(text), "#include \"x.h\"\nint x;\n");
  EXPECT_EQ(own_file_of("int x;"), "");
}

TEST(exported, a_patch_has_only_what_changed) {
  std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n", after = "1\n2\n3\n4\nx\n5\n6\n7\n8\n9\n";
  EXPECT_EQ(patch_text(before, after, "f.c"), "--- a/f.c\n+++ b/f.c\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+x\n 5\n 6\n 7\n");
  EXPECT_EQ(patch_text(before, before, "f.c"), "");
  EXPECT_EQ(patch_text("a\nb\n", "a\nc\n", "f.c"), "--- a/f.c\n+++ b/f.c\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
}

TEST(exported, the_guard_asks_for_what_the_compiler_knows_and_nothing_else) {
  EXPECT_NE(isa_guard_text({"avx2", "sse4_2", "amx_tile"})
                .find("__builtin_cpu_supports(\"sse4.2\") && "
                      "__builtin_cpu_supports(\"avx2\")"),
            std::string::npos);
  EXPECT_NE(isa_guard_text({}).find("return 1;"), std::string::npos);
}

}  // namespace
}  // namespace kope::testing
