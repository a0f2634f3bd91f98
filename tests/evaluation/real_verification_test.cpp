// Verification through the real compiler and runner: honest kernels pass, and each known way of being wrong is named.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "actors/evaluation/kernel_shim.hpp"
#include "actors/evaluation/verification.hpp"
#include "tests/evaluation/real_bench.hpp"

namespace kope {
namespace {

using namespace testing;
using wire::OutcomeClass;

std::vector<small_case> real_cases() {
  auto cases = small_cases();
  cases.back().sizes = {192, 192, 192};
  return cases;
}

class real_verification : public ::testing::Test {
protected:
  static void SetUpTestSuite() { bench = new real_bench(matmul_task(real_cases())); }
  static void TearDownTestSuite() {
    delete bench;
    bench = nullptr;
  }

  struct judged {
    OutcomeClass outcome;
    std::string detail;
    double worst;
  };
  judged judge(const std::string& source, const std::vector<std::string>& flags = {}) {
    auto artifact = bench->artifact(source, flags);
    verification_options options;
    options.cpus = {0};
    options.draw = 3;
    auto found = verify_artifact(bench->with(), bench->bank(), std::as_bytes(std::span(artifact)), options, nullptr);
    EXPECT_TRUE(found.ok()) << (found ? "" : found.failure().what);
    if (!found) return {OutcomeClass::HARNESS_ERROR, "", 0};
    auto view = found->read();
    return {view->getOutcome(), view->getDetail().cStr(), view->getWorstError()};
  }
  static real_bench* bench;
};
real_bench* real_verification::bench = nullptr;

TEST_F(real_verification, an_honest_kernel_passes_with_room_to_spare) {
  auto found = judge(product_source());
  EXPECT_EQ(found.outcome, OutcomeClass::CORRECT_NOT_FASTER) << found.detail;
  EXPECT_LT(found.worst, 0.5);
}

TEST_F(real_verification, another_order_of_summation_passes) {
  auto found = judge(
      "extern \"C\" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {\n"
      "  for (int64_t i = 0; i < m; ++i) for (int64_t j = 0; j < n; ++j) {\n"
      "    float s[16] = {};\n"
      "    for (int64_t p = 0; p < k; ++p) s[p % 16] += a[i * k + p] * b[p * n + j];\n"
      "    float all = 0; for (float one : s) all += one;\n"
      "    c[i * n + j] = all; } }\n");
  EXPECT_EQ(found.outcome, OutcomeClass::CORRECT_NOT_FASTER) << found.detail;
}

TEST_F(real_verification, the_baseline_itself_passes) {
  auto bytes = bench->bank().baseline();
  auto found = verify_artifact(bench->with(), bench->bank(), std::as_bytes(std::span(bytes)), {}, nullptr);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->read()->getOutcome(), OutcomeClass::CORRECT_NOT_FASTER) << found->read()->getDetail().cStr();
}

TEST_F(real_verification, one_wrong_element_in_one_hidden_case_fails_without_a_word_about_it) {
  auto found = judge(product_source("if (m == 19 && n == 23) c[200] *= 1.001f;"));
  EXPECT_EQ(found.outcome, OutcomeClass::WRONG_ANSWER);
  EXPECT_EQ(found.detail, "hidden case failed");
}

TEST_F(real_verification, doing_nothing_and_constants_fail) {
  EXPECT_EQ(judge("extern \"C\" void kernel(const float*, const float*, float*, int64_t, int64_t, int64_t) {}").outcome,
            OutcomeClass::WRONG_ANSWER);
  EXPECT_EQ(judge(product_source("for (int64_t i = 0; i < m * n; ++i) c[i] = 0.25f;")).outcome,
            OutcomeClass::WRONG_ANSWER);
  EXPECT_EQ(judge(product_source("for (int64_t i = 0; i < m * n; ++i) c[i] = 0;")).outcome, OutcomeClass::WRONG_ANSWER);
}

TEST_F(real_verification, a_skipped_last_row_is_an_unwritten_element) {
  auto found = judge(
      "extern \"C\" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {\n"
      "  for (int64_t i = 0; i + 1 < m; ++i) for (int64_t j = 0; j < n; ++j) {\n"
      "    float s = 0; for (int64_t p = 0; p < k; ++p) s += a[i * k + p] * b[p * n + j];\n"
      "    c[i * n + j] = s; } }\n");
  EXPECT_EQ(found.outcome, OutcomeClass::WRONG_ANSWER);
  EXPECT_NE(found.detail.find("was not written"), std::string::npos) << found.detail;
}

TEST_F(real_verification, a_row_too_many_faults_on_the_guard) {
  EXPECT_EQ(judge(product_source("for (int64_t j = 0; j < n; ++j) c[m * n + j] = 0;")).outcome, OutcomeClass::CRASHED);
  EXPECT_EQ(judge(product_source("c[-1] = 0;")).outcome, OutcomeClass::CRASHED) << "under-runs count too";
}

TEST_F(real_verification, nan_fails) {
  EXPECT_EQ(judge(product_source("c[m * n / 2] = __builtin_nanf(\"\");")).outcome, OutcomeClass::WRONG_ANSWER);
}

TEST_F(real_verification, half_precision_fails) {
  const char* rounding =
      "static inline float half(float v) { uint32_t u; __builtin_memcpy(&u, &v, 4); u = (u + 0x1000) & 0xffffe000;\n"
      "  __builtin_memcpy(&v, &u, 4); return v; }\n";
  auto found = judge(product_source("", rounding, "float s = half(a[i * k + p]) * half(b[p * n + j]);"));
  EXPECT_EQ(found.outcome, OutcomeClass::WRONG_ANSWER);
  EXPECT_GT(found.worst, 2);
}

TEST_F(real_verification, an_answer_kept_by_address_fails) {
  auto found =
      judge(product_source("if (known == m * n) { for (int64_t i = 0; i < m * n; ++i) c[i] = kept[i]; }\n"
                           "  else { known = m * n; for (int64_t i = 0; i < m * n; ++i) kept[i] = c[i]; }",
                           "static float kept[1 << 20]; static int64_t known;"));
  EXPECT_EQ(found.outcome, OutcomeClass::WRONG_ANSWER);
}

TEST_F(real_verification, writing_to_an_input_crashes) {
  EXPECT_EQ(judge(product_source("const_cast<float*>(a)[0] = 1;")).outcome, OutcomeClass::CRASHED);
}

TEST_F(real_verification, an_endless_loop_is_timed_out_after_one_deadline) {
  auto start = std::chrono::steady_clock::now();
  auto found = judge(product_source("for (volatile int x = 0;;) ++x;"));
  EXPECT_EQ(found.outcome, OutcomeClass::TIMED_OUT) << found.detail;
  std::printf("endless loop: timed out after %.2f s\n",
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

TEST_F(real_verification, an_abort_is_a_crash) {
  EXPECT_EQ(judge(product_source("__builtin_trap();")).outcome, OutcomeClass::CRASHED);
  EXPECT_EQ(judge(product_source("abort();", "#include <stdlib.h>\n")).outcome, OutcomeClass::CRASHED);
}

TEST_F(real_verification, what_does_not_pass_the_screen_is_a_violation_that_names_it) {
  auto leaves = judge(product_source("_exit(0);", "extern \"C\" void _exit(int);"));
  EXPECT_EQ(leaves.outcome, OutcomeClass::SANDBOX_VIOLATION);
  EXPECT_NE(leaves.detail.find("uses _exit"), std::string::npos) << leaves.detail;
  auto early = judge(product_source("", "__attribute__((constructor)) static void early() { *(volatile int*)8 = 1; }"));
  EXPECT_EQ(early.outcome, OutcomeClass::SANDBOX_VIOLATION);
  EXPECT_NE(early.detail.find("runs code when it is loaded (.init_array)"), std::string::npos) << early.detail;
}

TEST_F(real_verification, a_fork_is_a_violation_that_names_it) {
  auto found = judge(product_source("asm volatile(\"syscall\" ::\"a\"(57) : \"rcx\", \"r11\", \"memory\");"));
  EXPECT_EQ(found.outcome, OutcomeClass::SANDBOX_VIOLATION);
  EXPECT_NE(found.detail.find("was ended for calling fork"), std::string::npos) << found.detail;
}

TEST_F(real_verification, dying_of_refused_memory_is_no_crash) {
  auto unwritten =
      judge(product_source("volatile char* p = (char*)malloc((size_t)m << 40); p[0] = 1;", "#include <stdlib.h>\n"));
  EXPECT_EQ(unwritten.outcome, OutcomeClass::OUT_OF_MEMORY) << unwritten.detail;
  auto thrown = judge(product_source("std::vector<float> v((size_t)m << 40); c[0] = v[1];", "#include <vector>\n"));
  EXPECT_EQ(thrown.outcome, OutcomeClass::OUT_OF_MEMORY) << thrown.detail;
  auto storage = judge(product_source("c[0] += large[m];", "static volatile float large[768u << 20];\n"));
  EXPECT_EQ(storage.outcome, OutcomeClass::OUT_OF_MEMORY) << storage.detail;
}

}  // namespace
}  // namespace kope
