#include "actors/evaluation/kernel_shim.hpp"

#include <gtest/gtest.h>

#include "tests/evaluation/small_tasks.hpp"

namespace kope {
namespace {

using testing::matmul_task;

TEST(kernel_shim, signature_is_one_line_with_named_parameters) {
  auto of = matmul_task();
  EXPECT_EQ(signature(*of.read()),
            "extern \"C\" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k);");
}

TEST(kernel_shim, a_task_in_c_has_no_linkage_to_name_and_is_widened_by_a_macro_after_the_headers) {
  auto of = task::changed(*matmul_task().read(), [](wire::Task::Builder t) {
    t.setLanguage(wire::Language::C);
    t.setOracle(wire::OracleKind::WIDENED);
  });
  EXPECT_EQ(signature(*of.read()),
            "void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k);");
  EXPECT_EQ(language_of(*of.read()), source_language::c);
  auto wide = oracle_surrounding(*of.read());
  auto macro = wide.prologue.find("#define float double");
  ASSERT_NE(macro, std::string::npos);
  EXPECT_EQ(wide.prologue.find("#include", macro), std::string::npos);
  EXPECT_LT(macro, wide.prologue.find("void kernel("));
  EXPECT_NE(wide.prologue.find("#define expf exp\n"), std::string::npos);
  auto given = task::changed(*of.read(), [](wire::Task::Builder t) { t.setOracle(wire::OracleKind::AS_GIVEN); });
  EXPECT_EQ(oracle_surrounding(*given.read()).prologue, candidate_surrounding(*given.read()).prologue);
}

TEST(kernel_shim, signature_knows_every_element_type) {
  auto of = task::changed(*matmul_task().read(), [](wire::Task::Builder t) {
    t.getTensors()[0].setElementType(wire::ElementType::I64);
    t.getTensors()[1].setElementType(wire::ElementType::I32);
    t.getTensors()[2].setElementType(wire::ElementType::F64);
  });
  EXPECT_EQ(
      signature(*of.read()),
      "extern \"C\" void kernel(const int64_t* a, const int32_t* b, double* c, int64_t m, int64_t n, int64_t k);");
}

TEST(kernel_shim, candidate_and_baseline_differ_in_real_alone) {
  auto of = matmul_task();
  auto candidate = candidate_surrounding(*of.read());
  auto baseline = baseline_surrounding(*of.read());
  EXPECT_EQ(candidate.epilogue, baseline.epilogue);
  EXPECT_EQ(candidate.prologue.find("real"), std::string::npos);
  EXPECT_NE(baseline.prologue.find("typedef float real;"), std::string::npos);
  EXPECT_EQ(baseline.prologue.find("restrict"), std::string::npos);
}

TEST(kernel_shim, candidate_begins_at_its_own_line_one) {
  auto of = matmul_task();
  auto prologue = candidate_surrounding(*of.read()).prologue;
  std::string end = "#line 1 \"kernel.cpp\"\n";
  ASSERT_GE(prologue.size(), end.size());
  EXPECT_EQ(prologue.substr(prologue.size() - end.size()), end);
}

TEST(kernel_shim, oracle_widens_only_tensors_of_the_tasks_type) {
  auto of = task::changed(*matmul_task().read(),
                          [](wire::Task::Builder t) { t.getTensors()[1].setElementType(wire::ElementType::I32); });
  auto epilogue = oracle_surrounding(*of.read()).epilogue;
  EXPECT_NE(epilogue.find("kope_oracle(kope_widened<0, float>(inputs[0], (size_t)1 * (size_t)sizes[0] * "
                          "(size_t)sizes[2]), (const int32_t*)inputs[1], (double*)outputs[0], sizes[0], sizes[1], "
                          "sizes[2]);"),
            std::string::npos)
      << epilogue;
}

TEST(kernel_shim, oracle_spells_out_sizes_of_timed_cases) {
  auto of = matmul_task();
  auto epilogue = oracle_surrounding(*of.read()).epilogue;
  EXPECT_NE(epilogue.find("if (m == 32 && n == 32 && k == 32)"), std::string::npos) << epilogue;
  EXPECT_EQ(epilogue.find("m == 16"), std::string::npos) << "a visible case is no timed one";
}

TEST(kernel_shim, inputs_and_outputs_are_counted_apart_when_they_alternate) {
  auto of = task::changed(*matmul_task().read(),
                          [](wire::Task::Builder t) { t.getTensors()[0].setRole(wire::TensorRole::OUTPUT); });
  auto epilogue = candidate_surrounding(*of.read()).epilogue;
  EXPECT_NE(epilogue.find("kernel((float*)outputs[0], (const float*)inputs[0], (float*)outputs[1], sizes[0]"),
            std::string::npos)
      << epilogue;
}

}  // namespace
}  // namespace kope
