#include "toolchains/cpp_compiler.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <future>

#include "messages/content_hash.hpp"
#include "tests/toolchains/scratch_directory.hpp"
#include "tests/toolchains/toolchain_test_options.hpp"

namespace kope {
namespace {

class cpp_compiler_test : public testing::Test {
protected:
  void use(cpp_compiler_options options) {
    auto made = make_cpp_compiler(host_, std::move(options), scratch_.path() + "/compile");
    ASSERT_TRUE(made) << made.failure().what;
    compiler_ = std::move(*made);
  }

  result<build> compile(compile_request request) {
    auto promise = std::make_shared<std::promise<result<build>>>();
    auto started =
        compiler_->compile(std::move(request), [promise](result<build> b) { promise->set_value(std::move(b)); });
    if (!started) return started.failure();
    return promise->get_future().get();
  }

  static compile_request kernel(std::string source) {
    compile_request request;
    request.source = std::move(source);
    request.prologue = "extern \"C\" void kernel(const float*, float*);\n";
    request.epilogue =
        "extern \"C\" __attribute__((visibility(\"default\")))\n"
        "void kope_entry(const void* const* in, void* const* out, const long* sizes) {\n"
        "  kernel((const float*)in[0], (float*)out[0]);\n}\n";
    return request;
  }

  std::string diagnostics_of(compile_request request) {
    auto made = compile(std::move(request));
    if (!made) return "error: " + made.failure().what;
    EXPECT_FALSE(made->read()->getSucceeded());
    EXPECT_EQ(made->read()->getArtifact().size(), 0u);
    return made->read()->getDiagnostics().cStr();
  }

  bool scratch_is_empty() { return std::filesystem::is_empty(scratch_.path() + "/compile"); }

  scratch_directory scratch_;
  process_host host_{scratch_.path() + "/children"};
  std::unique_ptr<compiler> compiler_;
};

const std::string copy_one = "void kernel(const float* a, float* b) { b[0] = a[0]; }\n";

TEST_F(cpp_compiler_test, makes_a_shared_object_and_leaves_no_file) {
  use(gcc_options());
  auto made = compile(kernel(copy_one));
  ASSERT_TRUE(made) << made.failure().what;
  auto read = made->read();
  ASSERT_TRUE(read->getSucceeded()) << read->getDiagnostics().cStr();
  auto artifact = read->getArtifact().asChars();
  EXPECT_EQ(std::string_view(artifact.begin(), 4),
            "\x7f"
            "ELF");
  EXPECT_EQ(read->getArtifactHash(), content_hash({artifact.begin(), artifact.size()}));
  EXPECT_GT(read->getCompileSeconds(), 0);
  EXPECT_TRUE(scratch_is_empty());
  EXPECT_NE(compiler_->version().find("g++"), std::string::npos);
}

TEST_F(cpp_compiler_test, makes_the_same_artifact_of_the_same_text_with_no_path_in_it) {
  use(gcc_options());
  std::string source =
      "namespace { struct t { t(); } one; t::t() {} }\nconst char* where() { return __FILE__; }\n"
      "void kernel(const float* a, float* b) { b[0] = a[where()[0]]; }\n";
  auto first = compile(kernel(source));
  auto second = compile(kernel(source));
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(first->read()->getSucceeded()) << first->read()->getDiagnostics().cStr();
  auto bytes = first->read()->getArtifact().asChars();
  EXPECT_TRUE(first->read()->getArtifact() == second->read()->getArtifact());
  EXPECT_EQ(std::string_view(bytes.begin(), bytes.size()).find(scratch_.path()), std::string_view::npos);
  EXPECT_EQ(std::string_view(bytes.begin(), bytes.size()).find("/tmp"), std::string_view::npos);
}

TEST_F(cpp_compiler_test, names_the_candidates_own_line_of_a_syntax_error) {
  use(gcc_options());
  auto text = diagnostics_of(kernel("\nvoid kernel(const float* a, float* b) {\n  b[0] = a[0] +;\n}\n"));
  EXPECT_TRUE(text.starts_with("candidate.cpp: In function") || text.starts_with("candidate.cpp:3:")) << text;
  EXPECT_NE(text.find("candidate.cpp:3:"), std::string::npos) << text;
  EXPECT_NE(text.find("b[0] = a[0] +;"), std::string::npos) << "the line is quoted: " << text;
  EXPECT_EQ(text.find(scratch_.path()), std::string::npos) << text;
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(cpp_compiler_test, calls_a_missing_kernel_a_failed_build_that_names_it) {
  use(gcc_options());
  auto text = diagnostics_of(kernel("void other(const float* a, float* b) { b[0] = a[0]; }\n"));
  EXPECT_NE(text.find("undefined reference to `kernel'"), std::string::npos) << text;
  EXPECT_EQ(text.find(scratch_.path()), std::string::npos) << text;
}

TEST_F(cpp_compiler_test, refuses_a_flag_that_is_not_on_the_list_and_names_it) {
  use(gcc_options());
  for (std::string flag :
       {"-fplugin=evil.so", "@flags", "evil.cpp", "-O2 -I/", "-wrapper", "-mprefer-vector-width=\n", "", "-", "-O"}) {
    auto request = kernel(copy_one);
    request.flags = {"-O2", flag};
    auto text = diagnostics_of(request);
    EXPECT_NE(text.find("'" + flag + "' is not among the allowed flags of cpp-gcc"), std::string::npos) << text;
  }
  EXPECT_EQ(host_.counts().started, 1u) << "only the version was asked";
}

TEST_F(cpp_compiler_test, uses_allowed_flags_and_the_baseline_flags_of_a_reference) {
  use(gcc_options());
  auto request = kernel(
      "#ifdef __OPTIMIZE__\nextern \"C\" __attribute__((visibility(\"default\"))) int fma_is = \n"
      "#ifdef __AVX2__\n 1;\n#else\n 0;\n#endif\n#endif\n" +
      copy_one);
  auto plain = compile(request);
  request.flags = {"-mprefer-vector-width=256", "-funroll-loops"};
  ASSERT_TRUE(compile(request)) << "allowed";
  request.flags = {};
  request.baseline = true;
  auto baseline = compile(request);
  ASSERT_TRUE(plain && baseline);
  ASSERT_TRUE(baseline->read()->getSucceeded()) << baseline->read()->getDiagnostics().cStr();
  EXPECT_STRNE(plain->read()->getArtifactHash().cStr(), baseline->read()->getArtifactHash().cStr());
}

TEST_F(cpp_compiler_test, compiles_c_as_c_and_leaves_out_what_the_entry_does_not_reach) {
  auto options = gcc_options();
  options.c_flags = {"-xc", "-std=gnu17", "-ffunction-sections", "-Wl,--gc-sections"};
  use(options);
  compile_request request;
  request.language = source_language::c;
  // what C++ has not: an array of arrays whose length is a parameter, and a conversion from void*
  request.source =
      "#include <stdlib.h>\nint elsewhere(void);\nint main(void) { return elsewhere(); }\n"
      "void kernel(int n, float a[n][n]) { int* x = malloc(4); a[0][n - 1] = x != 0; free(x); }\n";
  request.epilogue =
      "__attribute__((visibility(\"default\"))) void kope_entry(void* const* out) { kernel(2, out[0]); }\n";
  auto made = compile(request);
  ASSERT_TRUE(made) << made.failure().what;
  EXPECT_TRUE(made->read()->getSucceeded()) << made->read()->getDiagnostics().cStr();
  request.source = "int kernel = class;\n";
  auto wrong = diagnostics_of(request);
  EXPECT_TRUE(wrong.starts_with("candidate.c:1:")) << wrong;
  use(gcc_options());
  EXPECT_EQ(diagnostics_of(request), "error: the toolchain cpp-gcc has no c_flags, it cannot compile C\n");
}

TEST_F(cpp_compiler_test, a_baseline_with_flags_of_its_own_is_not_optimised_by_ours) {
  use(gcc_options());
  auto request = kernel("#ifdef __OPTIMIZE__\n#error it is optimised\n#endif\n" + copy_one);
  request.baseline = true;
  EXPECT_NE(diagnostics_of(request).find("it is optimised"), std::string::npos);
  request.flags = {"-funroll-loops"};  // nothing of his says -O
  auto made = compile(request);
  ASSERT_TRUE(made) << made.failure().what;
  EXPECT_TRUE(made->read()->getSucceeded()) << made->read()->getDiagnostics().cStr();
}

TEST_F(cpp_compiler_test, names_the_package_of_a_missing_compiler) {
  auto options = gcc_options();
  options.program = "kope-no-such-g++";
  auto made = make_cpp_compiler(host_, options, scratch_.path() + "/compile");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.failure().code, errc::tool_missing);
  EXPECT_TRUE(made.failure().what.starts_with("kope-no-such-g++ is not installed: apt-get install g++"))
      << made.failure().what;
}

// A source that no compiler finishes: every level asks for two of the next.
const std::string bomb =
    "template <int n, int id> struct deep { static constexpr long long v = deep<n - 1, id * 2>::v + deep<n - 1, id * 2 "
    "+ 1>::v; };\n"
    "template <int id> struct deep<0, id> { static constexpr long long v = id; };\n"
    "long long x = deep<29, 0>::v;\n";

TEST_F(cpp_compiler_test, calls_the_wall_limit_a_timeout) {
  auto options = gcc_options();
  options.wall_seconds = 1;
  options.cpu_seconds = 30;
  use(options);
  auto made = compile(kernel(bomb + copy_one));
  ASSERT_FALSE(made) << made->read()->getDiagnostics().cStr();
  EXPECT_EQ(made.failure().code, errc::timed_out);
  EXPECT_TRUE(scratch_is_empty());
  EXPECT_EQ(host_.counts().running, 0u);
}

TEST_F(cpp_compiler_test, calls_the_cpu_limit_a_timeout) {
  auto options = gcc_options();
  options.wall_seconds = 60;
  options.cpu_seconds = 1;
  use(options);
  auto made = compile(kernel(bomb + copy_one));
  ASSERT_FALSE(made) << made->read()->getDiagnostics().cStr();
  EXPECT_EQ(made.failure().code, errc::timed_out);
}

TEST_F(cpp_compiler_test, calls_the_memory_limit_a_failed_build) {
  auto options = gcc_options();
  options.memory_mebibytes = 150;
  options.wall_seconds = 60;
  options.cpu_seconds = 60;
  use(options);
  auto text = diagnostics_of(kernel(bomb + copy_one));
  EXPECT_NE(text.find("memory"), std::string::npos) << text;
}

TEST_F(cpp_compiler_test, caps_diagnostics) {
  auto options = gcc_options();
  options.diagnostics_kibibytes = 1;
  std::erase(options.base_flags, "-fmax-errors=5");
  use(options);
  std::string source;
  for (int i = 0; i < 200; ++i) source += "nonsense" + std::to_string(i) + " here;\n";
  auto text = diagnostics_of(kernel(source));
  EXPECT_LE(text.size(), 1024u + 70u);
  size_t named = text.find("[cut; more is in compile-diagnostics/");
  ASSERT_NE(named, std::string::npos) << text;
  auto file = scratch_.path() + "/" +
              text.substr(text.find("compile-diag"), strlen("compile-diagnostics/0123456789abcdef.txt"));
  EXPECT_GT(std::filesystem::file_size(file), 10'000u) << file;
}

TEST_F(cpp_compiler_test, refuses_a_source_that_is_too_large) {
  use(gcc_options());
  auto text = diagnostics_of(kernel(std::string(source_bytes_max + 1, ' ')));
  EXPECT_NE(text.find(std::to_string(source_bytes_max)), std::string::npos) << text;
}

TEST_F(cpp_compiler_test, ends_a_cancelled_compilation) {
  use(gcc_options());
  std::promise<result<build>> promise;
  auto ticket = compiler_->compile(kernel(bomb + copy_one), [&](result<build> b) { promise.set_value(std::move(b)); });
  ASSERT_TRUE(ticket);
  compiler_->cancel(*ticket);
  auto made = promise.get_future().get();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.failure().code, errc::cancelled);
  EXPECT_TRUE(scratch_is_empty());
}

}  // namespace
}  // namespace kope
