#include "toolchains/artifact_screen.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "messages/content_hash.hpp"
#include "tests/toolchains/kernel_bench.hpp"

namespace kope {
namespace {

// Artifacts of g++ for the screen alone: nothing is loaded.
class artifact_screen : public testing::Test {
protected:
  // Made once: the property below is a suite of its own and needs it too.
  static process_host& host() {
    content_hash("");  // so that OpenSSL, which the host's thread uses, is cleaned up after that thread has ended
    static process_host one(scratch().path() + "/children");
    return one;
  }
  static scratch_directory& scratch() {
    static scratch_directory one;
    return one;
  }

  static std::string compiled(const std::string& source, const std::vector<std::string>& more = {}) {
    auto options = gcc_options();
    options.base_flags.insert(options.base_flags.end(), more.begin(), more.end());
    auto gcc = make_cpp_compiler(host(), options, scratch().path() + "/compile");
    compile_request request;
    request.source = source + "\n" + entry;
    std::promise<result<build>> promise;
    auto started = (*gcc)->compile(request, [&](result<build> b) { promise.set_value(std::move(b)); });
    EXPECT_TRUE(started);
    auto built = promise.get_future().get();
    EXPECT_TRUE(built && built->read()->getSucceeded())
        << source << "\n"
        << (built ? built->read()->getDiagnostics().cStr() : built.failure().what.c_str());
    if (!built) return {};
    auto view = built->read();
    auto bytes = view->getArtifact().asChars();
    return {bytes.begin(), bytes.size()};
  }
  static std::string objection(const std::string& artifact) {
    return screen_artifact(std::as_bytes(std::span(artifact))).value_or("");
  }
  static std::string screened(const std::string& source, const std::vector<std::string>& more = {}) {
    return objection(compiled(source, more));
  }
  static const std::string& honest() {
    static const std::string made = compiled(
        "#include <math.h>\nstatic float table[100];\nfloat* where = table;\n"
        "static void scale(float* out, long n) { for (long i = 0; i < n; ++i) out[i] = expf(out[i]) + where[i % 7]; }\n"
        "#define WORK scale((float*)outs[0], sizes[0]);\n");
    return made;
  }

  static constexpr const char* entry =
      "#ifndef WORK\n#define WORK *(float*)outs[0] = 1;\n#endif\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) void kope_entry(const void* const*, void* const* outs, "
      "const long* sizes) { WORK }\n";
};

TEST_F(artifact_screen, passes_plain_kernels_openmp_vector_arithmetic_and_the_standard_library) {
  EXPECT_EQ(objection(honest()), "");
  EXPECT_EQ(
      screened("#define WORK _Pragma(\"omp parallel for\") for (long i = 0; i < sizes[0]; ++i) ((float*)outs[0])[i]"
               " = i;",
               {"-fopenmp"}),
      "");
  EXPECT_EQ(screened("#include <math.h>\n#define WORK for (int i = 0; i < 1024; ++i) ((float*)outs[0])[i] = "
                     "expf(((float*)outs[0])[i]);",
                     {"-ffast-math"}),
            "");
  EXPECT_EQ(
      screened("#include <vector>\n#include <algorithm>\n#define WORK std::vector<float> v; "
               "for (int i = 0; i < 9; ++i) v.push_back(i); std::sort(v.begin(), v.end()); *(float*)outs[0] = v[3];"),
      "");
  EXPECT_EQ(
      screened("static thread_local float kept[9];\n#define WORK kept[sizes[0]] += 1; *(float*)outs[0] = kept[1];"),
      "");
}

TEST_F(artifact_screen, refuses_code_that_runs_at_load_or_unload) {
  EXPECT_EQ(screened("__attribute__((constructor)) void early() { *(volatile int*)8 = 1; }"),
            "runs code when it is loaded (.init_array)");
  EXPECT_EQ(screened("int f(); int g = f(); int f() { return *(volatile int*)8; }"),
            "runs code when it is loaded (.init_array)");
  EXPECT_EQ(screened("__attribute__((destructor)) void late() { *(volatile int*)8 = 1; }"),
            "runs code when it is unloaded (.fini_array)");
  EXPECT_EQ(screened("extern \"C\" void _init() {}"), "runs code when it is loaded (.init)");
  EXPECT_EQ(screened("extern \"C\" void _fini() {}"), "runs code when it is unloaded (.fini)");
  EXPECT_EQ(screened("static void one() {}\nextern \"C\" void* pick() { return (void*)one; }\n"
                     "void picked() __attribute__((ifunc(\"pick\")));\n#define WORK picked();"),
            "runs code when it is loaded (an IRELATIVE relocation)");
}

TEST_F(artifact_screen, refuses_names_that_no_kernel_needs_and_says_which) {
  for (std::string name : {"fork", "system", "dlopen", "mprotect", "pthread_create", "syscall", "getpid", "exit",
                           "_exit", "printf", "fopen", "getenv", "clock_gettime", "dl_iterate_phdr", "signal"}) {
    EXPECT_EQ(screened("extern \"C\" long " + name + "(...);\n#define WORK *(float*)outs[0] = " + name + "();"),
              "uses " + name + ", which no kernel needs");
  }
  EXPECT_EQ(screened("#include <thread>\n#define WORK std::thread([] {}).join();").find("uses "), 0u);
}

TEST_F(artifact_screen, refuses_exports_and_names_for_the_whole_process) {
  EXPECT_EQ(screened("extern \"C\" __attribute__((visibility(\"default\"))) void* malloc(unsigned long) { return 0; }"),
            "exports malloc; only kope_entry may be seen from outside");
  EXPECT_EQ(screened("template <class T> struct __attribute__((visibility(\"default\"))) s { static int kept; };\n"
                     "template <class T> int s<T>::kept;\n#define WORK *(int*)outs[0] = ++s<int>::kept;",
                     {"-fgnu-unique"})
                .find("exports _ZN1sIiE4keptE"),
            0u);
}

TEST_F(artifact_screen, refuses_what_the_linker_can_be_asked_for) {
  EXPECT_EQ(screened("", {"-Wl,-z,execstack"}), "asks for a stack that can be executed");
  EXPECT_EQ(screened("", {"-Wl,-rpath,/tmp"}), "chooses where libraries are looked for (RUNPATH)");
  EXPECT_EQ(screened("", {"-Wl,-rpath,/tmp,--disable-new-dtags"}), "chooses where libraries are looked for (RPATH)");
  EXPECT_EQ(screened("", {"-Wl,--no-as-needed,-lz,--as-needed"}), "needs the library libz.so.1, which no kernel needs");
  EXPECT_EQ(screened("", {"-Wl,-Bsymbolic"}), "changes how names are looked up (SYMBOLIC)");
  EXPECT_EQ(screened("", {"-Wl,-z,initfirst"}), "asks the loader for something special (FLAGS_1)");
  EXPECT_EQ(screened("", {"-Wl,-f,libc.so.6"}), "stands in for another library (AUXILIARY)");
  EXPECT_EQ(screened("", {"-Wl,-F,libc.so.6"}), "stands in for another library (FILTER)");
  EXPECT_EQ(screened("", {"-Wl,--hash-style=sysv"}), "has no table of its names");
}

TEST_F(artifact_screen, refuses_what_assembler_text_can_smuggle_in) {
  EXPECT_EQ(screened("asm(\".section .init_array,\\\"aw\\\"\\n.quad kope_entry\\n.text\");"),
            "runs code when it is loaded (.init_array)");
  EXPECT_EQ(screened("asm(\".section .both,\\\"awx\\\",@progbits\\n.quad 0\\n.text\");"),
            "has code that can be written (a segment with W and X)");
  EXPECT_NE(screened("asm(\".text\\n.globl slot\\nslot: .quad kope_entry\\n\");", {"-Wl,-z,notext"}), "")
      << "code that is changed while it is loaded";
}

TEST_F(artifact_screen, refuses_what_is_no_artifact) {
  EXPECT_EQ(objection(""), "ends before its header");
  EXPECT_EQ(objection(std::string(1000, 'x')), "is no ELF file");
  std::string other = honest();
  other[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(objection(other), "is for another machine");
  std::string renamed = honest();
  for (size_t at = 0; (at = renamed.find("kope_entry", at)) != std::string::npos;) renamed[at] = 'x';
  EXPECT_NE(objection(renamed).find("xope_entry"), std::string::npos) << objection(renamed);
}

TEST_F(artifact_screen, refuses_every_truncation_that_loses_something_loaded) {
  const auto& whole = honest();
  for (size_t bytes = 0; bytes < whole.size(); bytes += 1 + bytes / 200)
    screen_artifact(std::as_bytes(std::span(whole).first(bytes)));  // must come back
  EXPECT_NE(objection(whole.substr(0, sizeof(Elf64_Ehdr))), "");
  EXPECT_NE(objection(whole.substr(0, whole.size() / 4)), "");
}

RC_GTEST_FIXTURE_PROP(artifact_screen, comes_back_from_every_mutation, ()) {
  // Many mutants a case: screening takes microseconds, drawing a case longer.
  for (int mutant = 0; mutant < 50; ++mutant) {
    std::string bytes = honest();
    const auto changes = *rc::gen::inRange(1, 6);
    for (int i = 0; i < changes; ++i) {
      // Headers and tables are at the beginning, the dynamic table near the end; the middle is code.
      size_t last = bytes.size() - 8;
      size_t at = *rc::gen::oneOf(rc::gen::inRange<size_t>(0, 1024), rc::gen::inRange<size_t>(0, last),
                                  rc::gen::inRange<size_t>(last / 2, last));
      auto value =
          *rc::gen::oneOf(rc::gen::arbitrary<uint64_t>(),
                          rc::gen::element<uint64_t>(0, 1, ~0ull, ~0ull - 7, 1ull << 63, 1ull << 32, 0x7fffffff));
      memcpy(bytes.data() + std::min(at, last), &value, *rc::gen::element<size_t>(1, 2, 4, 8));
    }
    auto found = screen_artifact(std::as_bytes(std::span(bytes)));
    RC_ASSERT(!found || !found->empty());
  }
}

TEST_F(artifact_screen, stands_before_every_load) {
  auto runner = make_host_runner(host(), runner_options());
  auto code = compiled("__attribute__((constructor)) void early() { for (;;) *(volatile int*)8 = 1; }");
  session_request request;
  request.artifact = std::as_bytes(std::span(code));
  request.layout = {{64}, {64}, {16}, 1};
  auto before = host().counts().started;
  auto session = runner->open(request);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.failure().code, errc::forbidden);
  EXPECT_EQ(session.failure().what, "the artifact runs code when it is loaded (.init_array)");
  EXPECT_EQ(host().counts().started, before) << "no process was started for it";
}

TEST(artifact_imports, hold_what_a_throw_of_a_number_or_a_text_needs) {
  for (auto name : {"_ZTIi", "_ZTIl", "_ZTIPKc", "_ZTIPv"}) EXPECT_TRUE(import_allowed(name)) << name;
  for (auto name : {"_ZTI", "_ZTI6thread", "_ZTIPK", "_ZTIii", "_ZTIN4kope6runnerE"})
    EXPECT_FALSE(import_allowed(name)) << name;
}

}  // namespace
}  // namespace kope
