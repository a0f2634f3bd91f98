#include <set>

#include "tests/coder/compiled_points.hpp"

namespace kope::testing {
namespace {

parameter_space space_of(const family& one) { return one.space(*task_of(one).read(), *this_target().read()); }

parcel<wire::Point> changed_point(const parameter_space& space, unsigned place, const char* meaning, double value) {
  const auto at = starting_points(*space.read()).front();
  return parcel<wire::Point>::build([&](wire::Point::Builder to) {
    auto parameters = to.initParameters(at.size());
    write_parameters(*space.read(), at, parameters);
    parameters[place].setMeaning(meaning);
    parameters[place].setValue(value);
  });
}

TEST(families, each_is_found_by_its_name_and_no_other_name_is) {
  std::set<std::string_view> names;
  for (const auto& one : families()) {
    EXPECT_EQ(find_family(one->name()), one.get());
    EXPECT_TRUE(names.insert(one->name()).second) << one->name();
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"batched_matmul", "data_movement", "elementwise", "layer_normalisation",
                                               "matmul", "reduction", "row_normalisation"}));
  EXPECT_EQ(find_family(""), nullptr);
  EXPECT_EQ(find_family("matmu"), nullptr);
}

TEST(families, a_space_has_unique_meanings_ascending_values_and_limits_on_what_it_has) {
  for (const auto& one : families())
    for (const char* isa : {"sse2", "avx", "avx2", "avx512f"}) {
      auto space = one->space(*task_of(*one).read(), *target_with({isa}).read());
      auto view = space.read();
      EXPECT_EQ(std::string_view(view->getFamily().cStr()), one->name());
      std::set<std::string> meanings;
      for (auto range : view->getRanges()) {
        EXPECT_TRUE(meanings.insert(range.getMeaning()).second) << range.getMeaning().cStr();
        auto values = range.getValues();
        ASSERT_GT(values.size(), 0u);
        for (unsigned i = 1; i < values.size(); ++i) EXPECT_LT(values[i - 1], values[i]) << range.getMeaning().cStr();
      }
      for (auto limit : view->getLimits())
        for (auto meaning : limit.getMeanings()) EXPECT_EQ(meanings.count(meaning), 1u) << meaning.cStr();
    }
}

TEST(families, the_same_point_gives_the_same_text_and_another_point_another) {
  for (const auto& one : families()) {
    auto space = space_of(*one);
    std::set<std::string> texts;
    auto points = some_points(space);
    for (const auto& at : points) {
      auto first = generate(*one, task_of(*one), space, at), second = generate(*one, task_of(*one), space, at);
      ASSERT_TRUE(first && second);
      EXPECT_EQ(first->source, second->source);
      EXPECT_TRUE(texts.insert(first->source).second) << point_text(*space.read(), at);
    }
  }
}

TEST(families, a_source_begins_with_its_family_and_its_parameters) {
  for (const auto& one : families()) {
    auto space = space_of(*one);
    auto made = generate(*one, task_of(*one), space, starting_points(*space.read()).front());
    ASSERT_TRUE(made);
    const std::string line = made->source.substr(0, made->source.find('\n'));
    EXPECT_EQ(line.rfind("// Family " + std::string(one->name()), 0), 0u) << line;
    auto described = space.read();
    for (auto range : described->getRanges())
      EXPECT_NE(line.find(range.getMeaning().cStr()), line.npos) << range.getMeaning().cStr();
  }
}

TEST(families, a_task_gets_the_family_that_it_names) {
  for (const auto& one : families()) {
    auto found = family_of(*task_of(*one).read());
    ASSERT_TRUE(found) << found.failure().what;
    EXPECT_EQ(*found, one.get());
  }
}

TEST(families, a_name_that_is_not_there_is_one_sentence_with_those_that_are) {
  auto named = [](const char* name) {
    return task::changed(*matmul_task().read(), [&](wire::Task::Builder to) { to.setFamily(name); });
  };
  auto missing = family_of(*named("elementwize").read()), none = family_of(*named("").read());
  ASSERT_FALSE(missing || none);
  EXPECT_EQ(missing.failure().code, errc::invalid_input);
  EXPECT_EQ(missing.failure().what,
            "task under_test names the operator family \"elementwize\", which the schedule coder does not have; it has "
            "batched_matmul, data_movement, elementwise, layer_normalisation, matmul, reduction, row_normalisation");
  EXPECT_EQ(none.failure().what.rfind("task under_test names no operator family; the schedule coder has ", 0), 0u)
      << none.failure().what;
}

TEST(families, a_task_of_another_prototype_or_with_an_unknown_attribute_is_refused_by_name) {
  for (const auto& one : families())
    for (const auto& other : families()) {
      if (one == other) continue;
      auto accepted = one->accepts(*task_of(*other).read());
      ASSERT_FALSE(accepted) << one->name() << " takes a task of " << other->name();
      EXPECT_EQ(accepted.failure().code, errc::invalid_input);
      EXPECT_EQ(accepted.failure().what.rfind("family " + std::string(one->name()) + ": task 'under_test' ", 0), 0u)
          << accepted.failure().what;
    }
  for (const auto& one : families()) {
    auto odd = task::changed(*task_of(*one).read(), [](wire::Task::Builder to) {
      auto colour = to.initAttributes(1)[0];
      colour.setName("colour");
      colour.setValue("red");
    });
    auto accepted = one->accepts(*odd.read());
    ASSERT_FALSE(accepted) << one->name();
    EXPECT_NE(accepted.failure().what.find("'colour'"), std::string::npos) << accepted.failure().what;
  }
}

// What a family is told of a case it could paste into its text; it must not be told.
TEST(families, a_text_does_not_depend_on_the_cases) {
  for (const auto& one : families()) {
    auto space = space_of(*one);
    const auto at = starting_points(*space.read()).front();
    const auto plain = task_of(*one);
    const auto with_cases = task::changed(*plain.read(), [](wire::Task::Builder to) {
      auto sizes = to.initCases(1)[0].initSizes(3);
      for (unsigned i = 0; i < 3; ++i) sizes.set(i, 7919);
    });
    auto first = generate(*one, plain, space, at), second = generate(*one, with_cases, space, at);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->source, second->source);
    EXPECT_EQ(one->space(*plain.read(), *this_target().read()), one->space(*with_cases.read(), *this_target().read()));
  }
}

TEST(families, a_wrong_parameter_is_an_error_that_names_it) {
  for (const auto& one : families()) {
    const auto space = space_of(*one);
    const auto what = task_of(*one);
    const std::string second = space.read()->getRanges()[1].getMeaning();
    const double allowed = space.read()->getRanges()[1].getValues()[0];
    auto failure = [&](const parcel<wire::Point>& of) {
      auto made = one->generate(*what.read(), of.read()->getParameters());
      EXPECT_FALSE(made);
      if (made) return std::string();
      EXPECT_EQ(made.failure().code, errc::invalid_input);
      return made.failure().what;
    };
    auto says = [](const std::string& text, const std::string& part) { return text.find(part) != text.npos; };

    EXPECT_TRUE(says(failure(changed_point(space, 1, second.c_str(), 1000)), "'" + second + "' is 1000"));
    EXPECT_TRUE(says(failure(changed_point(space, 1, second.c_str(), 4.5)), "'" + second + "' is 4.5"));
    EXPECT_TRUE(says(failure(changed_point(space, 1, "colour", 4)), "no parameter 'colour'"));
    EXPECT_TRUE(says(failure(changed_point(space, 0, second.c_str(), allowed)), "'" + second + "' is given twice"));
    EXPECT_TRUE(says(failure(parcel<wire::Point>::build([](wire::Point::Builder to) { to.initParameters(0); })),
                     "'vector_width' is missing"));
  }
}

TEST(families, a_point_beyond_a_limit_is_an_error_that_says_which) {
  const auto& matmul = *find_family("matmul");
  auto space = matmul.space(*matmul_task().read(), *target_with({"avx512f"}).read());
  auto at = starting_points(*space.read()).front();
  at[1] = 14;
  at[2] = 4;
  auto made = generate(matmul, matmul_task(), space, at);
  ASSERT_FALSE(made);
  EXPECT_NE(made.failure().what.find("'register_rows' times 'register_vectors' is 56"), std::string::npos)
      << made.failure().what;
}

}  // namespace
}  // namespace kope::testing
