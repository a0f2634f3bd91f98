#include "actors/coder/flags/compiler_choices.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "actors/coder/flags/loop_pragmas.hpp"
#include "actors/planner/parameter_neighbourhood.hpp"

namespace kope {
namespace {

using target_record = parcel<wire::TargetRecord>;

const char* const text =
    "// for (;;) in a comment\n"
    "#define EACH(i, n) for (int i = 0; i < n; ++i)\n"
    "void f(float* a, int n) {\n"
    "  for (int i = 0; i < n; ++i) {\n"
    "    if (i) for (int j = 0; j < n; ++j) a[i * n + j] = 0;\n"
    "  }\n"
    "  EACH(k, n) a[k] = 1;\n"
    "}\n";

task in_c(wire::Language language = wire::Language::C) {
  return task::build([&](wire::Task::Builder made) {
    made.setName("own");
    made.setLanguage(language);
    made.setReference(text);
  });
}

target_record machine(std::initializer_list<const char*> isa) {
  return target_record::build([&](wire::TargetRecord::Builder made) {
    auto list = made.initIsa(static_cast<unsigned>(isa.size()));
    unsigned at = 0;
    for (auto name : isa) list.set(at++, name);
  });
}

TEST(loop_pragmas, stand_before_innermost_loops_alone) {
  auto changed = with_loop_pragmas(text, "#pragma GCC ivdep\n");
  auto at = changed.find("#pragma GCC ivdep");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(changed.find("#pragma GCC ivdep", at + 1), std::string::npos);
  EXPECT_EQ(changed.substr(at).find("#pragma GCC ivdep\nfor (int j"), 0u);
  auto undone = changed;
  undone.erase(at - 1, std::string("\n#pragma GCC ivdep\n").size());
  EXPECT_EQ(undone, text);
}

TEST(compiler_choices, every_starting_point_is_valid_and_becomes_a_source_with_flags) {
  auto described = in_c();
  for (auto& target : {machine({"avx2", "avx512f"}), machine({"avx2"}), machine({"neon"})}) {
    auto space = compiler_choices_space(*described.read(), *target.read());
    ASSERT_TRUE(space) << space.failure().what;
    auto view = space->read();
    ASSERT_GE(view->getStartingPoints().size(), 2u);
    for (auto point : view->getStartingPoints()) {
      auto made = compiler_choices_source(*described.read(), point.getParameters());
      ASSERT_TRUE(made) << made.failure().what;
      EXPECT_FALSE(made->flags.empty());
    }
    auto first = compiler_choices_source(*described.read(), view->getStartingPoints()[0].getParameters());
    EXPECT_EQ(first->source, text) << "the first point is the user's own text";
  }
}

TEST(compiler_choices, widths_are_those_that_the_machine_has) {
  auto described = in_c();
  auto space = compiler_choices_space(*described.read(), *machine({"avx2"}).read());
  auto view = space->read();
  for (auto range : view->getRanges())
    if (range.getMeaning() == "vector_bits") {
      for (auto bits : range.getValues()) EXPECT_LE(bits, 256);
    }
}

TEST(compiler_choices, refuses_a_task_that_is_not_in_c_and_a_value_that_is_in_no_range) {
  auto cpp = in_c(wire::Language::CPP);
  EXPECT_FALSE(compiler_choices_space(*cpp.read(), *machine({"avx2"}).read()));
  auto described = in_c();
  auto point = parcel<wire::Point>::build([](wire::Point::Builder to) {
    auto one = to.initParameters(1)[0];
    one.setMeaning("optimisation");
    one.setValue(7);
  });
  auto made = compiler_choices_source(*described.read(), point.read()->getParameters());
  ASSERT_FALSE(made);
  EXPECT_NE(made.failure().what.find("'optimisation'"), std::string::npos);
}

}  // namespace
}  // namespace kope
