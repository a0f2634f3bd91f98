// The task loader: what it makes of a good task, and one golden sentence for each mistake.
#include "config/task_files.hpp"

#include <gtest/gtest.h>

#include "messages/enum_names.hpp"
#include "tests/config/scratch_directory.hpp"

namespace kope {
namespace {

const char* const good_toml = R"(name = "scale"
title = "twice a matrix"
family = "elementwise"
level = 1
type = "f32"
sizes = ["rows", "columns"]
[[tensors]]
name = "x"
role = "input"
extents = ["rows", "columns"]
[[tensors]]
name = "y"
role = "output"
type = "f64"
extents = ["rows", "columns", "2"]
[limits]
bytes = "20 * rows * columns"
flops = "rows * columns"
transcendentals = "0"
[drawn]
rows = [1, 9]
columns = [2, 8]
[[cases]]
name = "small"
kind = "visible"
sizes = { rows = 3, columns = 5 }
fills.x = { kind = "log_uniform", low = 1e-3, high = 1e3 }
[[cases]]
name = "big"
kind = "timed"
sizes = { rows = 100, columns = 200 }
)";

const char* const good_reference = R"(// twice
extern "C" void kernel(const real* x, double* y, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows * columns; ++i) y[i] = 2 * x[i];
}
)";

class task_files : public ::testing::Test {
protected:
  result<parcel<wire::Task>> load(const std::string& toml, const std::string& reference = good_reference) {
    scratch.write("scale/task.toml", toml);
    scratch.write("scale/reference.cpp", reference);
    return load_task(scratch.path() / "scale");
  }

  // The sentence without the scratch folder, which differs each time.
  std::string complaint(const std::string& toml, const std::string& reference = good_reference) {
    auto task = load(toml, reference);
    if (task) return "(loaded)";
    auto text = task.failure().what;
    auto folder = scratch.path().string() + "/scale/";
    EXPECT_EQ(text.rfind(folder, 0), 0u) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text.substr(std::min(text.size(), folder.size()));
  }

  static std::string with(const std::string& from, const std::string& to) {
    std::string text = good_toml;
    auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  scratch_directory scratch;
};

TEST_F(task_files, reads_attributes_in_order_of_names_and_makes_them_part_of_the_key) {
  auto with_attributes = [&](const std::string& formula) {
    return with("[limits]", "[attributes]\nformula = \"" + formula + "\"\nangle = \"7\"\n[limits]");
  };
  auto plain = load(good_toml), two = load(with_attributes("2 * x")), other = load(with_attributes("3 * x"));
  ASSERT_TRUE(plain && two && other);
  EXPECT_EQ(plain->read()->getAttributes().size(), 0u);
  auto view = two->read();
  ASSERT_EQ(view->getAttributes().size(), 2u);
  EXPECT_STREQ(view->getAttributes()[0].getName().cStr(), "angle");
  EXPECT_STREQ(view->getAttributes()[1].getName().cStr(), "formula");
  EXPECT_STREQ(view->getAttributes()[1].getValue().cStr(), "2 * x");
  EXPECT_NE(plain->read()->getKey(), two->read()->getKey());
  EXPECT_NE(other->read()->getKey(), two->read()->getKey());
  EXPECT_EQ(plain->read()->getCheck(), two->read()->getCheck());
}

TEST_F(task_files, refuses_attributes_that_are_no_texts_or_have_no_names) {
  auto complained = [&](const std::string& table) { return complaint(with("[limits]", table + "\n[limits]")); };
  EXPECT_EQ(complained("[attributes]\nepsilon = 1"),
            "task.toml:17: [attributes]: 'epsilon' is a whole number where a text is wanted");
  EXPECT_EQ(complained("[attributes]\n\"A b\" = \"1\""),
            "task.toml:17: [attributes]: attribute 'A b' is not a name of lower-case letters, digits and _ that begins "
            "with a letter");
  std::string many = "[attributes]\n";
  for (int i = 0; i < 17; ++i) many += "a" + std::to_string(i) + " = \"x\"\n";
  EXPECT_EQ(complained(many), "task.toml:16: 'attributes' has 17 keys, at most 16 are allowed");
}

TEST_F(task_files, reads_every_key_of_a_good_task) {
  auto loaded = load(good_toml);
  ASSERT_TRUE(loaded) << loaded.failure().what;
  auto task = loaded->read();
  EXPECT_STREQ(task->getName().cStr(), "scale");
  EXPECT_STREQ(task->getTitle().cStr(), "twice a matrix");
  EXPECT_STREQ(task->getFamily().cStr(), "elementwise");
  EXPECT_EQ(task->getLevel(), 1u);
  EXPECT_EQ(task->getElementType(), wire::ElementType::F32);
  ASSERT_EQ(task->getSizes().size(), 2u);
  EXPECT_STREQ(task->getSizes()[1].cStr(), "columns");
  ASSERT_EQ(task->getTensors().size(), 2u);
  EXPECT_EQ(task->getTensors()[0].getElementType(), wire::ElementType::F32);  // the task's own
  EXPECT_EQ(task->getTensors()[1].getElementType(), wire::ElementType::F64);
  EXPECT_STREQ(task->getTensors()[1].getExtents()[2].cStr(), "2");
  ASSERT_EQ(task->getDrawn().size(), 2u);
  EXPECT_EQ(task->getDrawn()[1].getLow(), 2u);
  EXPECT_EQ(task->getDrawn()[1].getHigh(), 8u);
  ASSERT_EQ(task->getCases().size(), 2u);
  auto small = task->getCases()[0], big = task->getCases()[1];
  EXPECT_EQ(small.getKind(), wire::CaseKind::VISIBLE);
  EXPECT_EQ(small.getSizes()[1], 5u);
  EXPECT_EQ(small.getFills()[0].getKind(), wire::FillKind::LOG_UNIFORM);
  EXPECT_EQ(small.getFills()[0].getHigh(), 1e3);
  EXPECT_EQ(small.getBytesMin(), 300);
  EXPECT_EQ(small.getFlops(), 15);
  EXPECT_EQ(small.getTranscendentals(), 0);
  ASSERT_EQ(big.getFills().size(), 1u);  // not named: uniform in [-1, 1)
  EXPECT_EQ(big.getFills()[0].getKind(), wire::FillKind::UNIFORM);
  EXPECT_EQ(big.getFills()[0].getLow(), -1);
  EXPECT_EQ(big.getFills()[0].getHigh(), 1);
  EXPECT_STREQ(task->getReference().cStr(), good_reference);
  EXPECT_EQ(task->getKey().size(), 64u);
  EXPECT_EQ(task->getCheck().size(), 64u);
}

TEST_F(task_files, says_one_sentence_for_each_mistake_with_file_and_line) {
  struct {
    std::string toml, sentence;
  } const mistakes[] = {
      {with("title =", "titel ="), "task.toml:2: unknown key 'titel'; the nearest known key is 'title'"},
      {with("title = \"twice a matrix\"\n", ""), "task.toml:1: the key 'title' is missing; it is a text"},
      {with("\"twice a matrix\"", "7"), "task.toml:2: 'title' is a whole number where a text is wanted"},
      {with("level = 1", "level = 5"), "task.toml:4: 'level' is 5, outside 1 to 4"},
      {with("level = 1", "level = 1.0"),
       "task.toml:4: 'level' is a number with a fraction where a whole number is wanted"},
      {with("type = \"f32\"", "type = \"f16\""), "task.toml:5: 'type' is 'f16', not f32, f64, i32 or i64"},
      {with("\"scale\"", "\"Scale it\""),
       "task.toml:1: 'name' is not a name of lower-case letters, digits and _ that begins with a letter"},
      {with("[\"rows\", \"columns\"]", "[]"), "task.toml:6: 'sizes' is empty; a kernel has at least one size"},
      {with("[\"rows\", \"columns\"]", "[\"rows\", \"rows\"]"),
       "task.toml:6: size 'rows' has the name of another parameter of the prototype"},
      {with("name = \"y\"", "name = \"rows\""),
       "task.toml:12: tensor 2: tensor 'rows' has the name of another parameter of the prototype"},
      {with("extents = [\"rows\", \"columns\"]", "extents = [\"rows\", \"colums\"]"),
       "task.toml:10: tensor 1: extent 'colums' is neither a size of the task (rows or columns) nor a number from 1 "
       "up"},
      {with("role = \"output\"", "role = \"input\""), "task.toml:7: no tensor has the role 'output'"},
      {with("[1, 9]", "[9, 1]"), "task.toml:21: [drawn]: 'rows' has its lower end above its upper end"},
      {with("[1, 9]", "[1]"), "task.toml:21: [drawn]: 'rows' has 1 numbers where 2 are wanted"},
      {with("rows = [1, 9]\n", ""), "task.toml:20: [drawn]: the key 'rows' is missing; it is a list of whole numbers"},
      {with("[1, 9]", "[1, 900000000]"), "task.toml:20: [drawn]: 7.2 GFLOP of work, at most 0.02 are allowed here"},
      {with("\"rows * columns\"", "\"rows * depth\""),
       "task.toml:18: [limits]: 'rows * depth' is not a formula of the sizes: Unexpected token \"depth\" found at "
       "position 7."},
      {with("\"0\"", "\"-1\""),
       "task.toml:19: [limits]: '-1' is not a finite number from 0 up for the sizes of a case"},
      {with("name = \"big\"", "name = \"small\""), "task.toml:29: case 2: another case is called 'small' too"},
      {with("kind = \"timed\"", "kind = \"hidden\""),
       "task.toml:23: no case is of kind 'timed'; there would be nothing to make faster"},
      {with("kind = \"timed\"", "kind = \"slow\""),
       "task.toml:30: case 2: 'kind' is 'slow', not visible, hidden or timed"},
      {with("rows = 3,", "rows = 0,"), "task.toml:26: case 1, sizes: 'rows' is 0, outside 1 to 2147483648"},
      {with("rows = 3, ", ""), "task.toml:26: case 1, sizes: the key 'rows' is missing; it is a whole number"},
      {with("rows = 3,", "rows = 3, depth = 3,"),
       "task.toml:26: case 1, sizes: unknown key 'depth'; the nearest known key is 'rows'"},
      {with("rows = 100", "rows = 30000"),
       "task.toml:31: case 2: tensor 'y' has 91.6 MiB, at most 32 MiB are allowed here"},
      {with("rows = 3,", "rows = 90000,"),
       "task.toml:26: case 1: tensor 'y' has 6.9 MiB, at most 4 MiB are allowed here"},
      {with("\"rows * columns\"", "\"rows * columns * 1e8\""),
       "task.toml:20: [drawn]: 7.2 GFLOP of work, at most 0.02 are allowed here"},
      {with("fills.x", "fills.z"), "task.toml:27: case 1, fills: unknown key 'z'; the nearest known key is 'x'"},
      {with("\"log_uniform\"", "\"loguniform\""),
       "task.toml:27: case 1, fills, x: 'kind' is 'loguniform', not uniform, log_uniform, cancelling, constant, ramp, "
       "integers or special"},
      {with("low = 1e-3", "low = 0"),
       "task.toml:27: case 1, fills, x: 'low' of log_uniform is a magnitude and must be above 0"},
      {with("low = 1e-3", "low = 1e4"), "task.toml:27: case 1, fills, x: 'low' is above 'high'"},
      {with("low = 1e-3", "low = nan"), "task.toml:27: case 1, fills, x: 'low' is not a finite number"},
      {with("level = 1", "level = "),
       "task.toml:4: not valid TOML: Error while parsing key-value pair: expected value, saw '\\n'"},
      {with("level = 1", "name = \"a\""),
       "task.toml:4: not valid TOML: Error while parsing key-value pair: cannot redefine existing string 'name'"},
  };
  for (auto& mistake : mistakes) EXPECT_EQ(complaint(mistake.toml), mistake.sentence);
}

TEST_F(task_files, says_how_a_reference_differs_from_the_prototype) {
  auto reference = [](const std::string& parameters) { return "extern \"C\" void kernel(" + parameters + ") {}\n"; };
  struct {
    std::string text, sentence;
  } const mistakes[] = {
      {"void kernel();", "reference.cpp: the reference must define extern \"C\" void kernel(...) exactly once"},
      {"// " + reference("const real* x, double* y, int64_t rows, int64_t columns"),
       "reference.cpp: the reference must define extern \"C\" void kernel(...) exactly once"},
      {reference("const real* x, double* y"),
       "reference.cpp: kernel has 2 parameters where the task file has 4 tensors and sizes"},
      {reference("const real* x, double* y, int64_t columns, int64_t rows"),
       "reference.cpp: parameter 3 of kernel is 'int64_t columns' where the task file has 'rows'"},
      {reference("real* x, double* y, int64_t rows, int64_t columns"),
       "reference.cpp: parameter 1 of kernel ('x') must point to const, it is an input"},
      {reference("const real* x, const double* y, int64_t rows, int64_t columns"),
       "reference.cpp: parameter 2 of kernel ('y') must not point to const, it is an output"},
      {reference("const real* x, double* y, int rows, int64_t columns"),
       "reference.cpp: parameter 3 of kernel ('rows') must be an int64_t, it is a size"},
      {reference("const real* x, double y, int64_t rows, int64_t columns"),
       "reference.cpp: parameter 2 of kernel ('y') must be a pointer, it is a tensor"},
  };
  for (auto& mistake : mistakes) EXPECT_EQ(complaint(good_toml, mistake.text), mistake.sentence);
  EXPECT_EQ(
      complaint(good_toml, reference("const real *x /* in */,\n  double *y, // out\n int64_t rows, int64_t columns")),
      "(loaded)");
}

TEST_F(task_files, knows_a_missing_folder_or_file_from_a_bad_one) {
  auto missing = load_task(scratch.path() / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.failure().code, errc::not_found);
  EXPECT_NE(missing.failure().what.find("there is no such folder"), std::string::npos);
  scratch.write("half/task.toml", good_toml);
  auto half = load_task(scratch.path() / "half");
  ASSERT_FALSE(half);
  EXPECT_EQ(half.failure().code, errc::not_found);
  EXPECT_NE(half.failure().what.find("half/reference.cpp does not exist"), std::string::npos);
}

TEST_F(task_files, changes_the_key_with_the_reference_and_the_check_with_the_cases_only) {
  auto key = [](const result<parcel<wire::Task>>& t) { return std::string(t->read()->getKey().cStr()); };
  auto verdict_check = [](const result<parcel<wire::Task>>& t) { return std::string(t->read()->getCheck().cStr()); };
  auto first = load(good_toml);
  auto again = load(good_toml);
  EXPECT_EQ(*first, *again);
  auto other_cases = load(with("rows = 3,", "rows = 4,"));
  EXPECT_EQ(key(first), key(other_cases));
  EXPECT_NE(verdict_check(first), verdict_check(other_cases));
  auto other_drawn = load(with("[1, 9]", "[1, 8]"));
  EXPECT_NE(verdict_check(first), verdict_check(other_drawn));
  auto other_reference = load(good_toml, std::string(good_reference) + "// changed\n");
  EXPECT_NE(key(first), key(other_reference));
  EXPECT_EQ(verdict_check(first), verdict_check(other_reference));
  auto other_type = load(with("type = \"f32\"", "type = \"i32\""));
  EXPECT_NE(key(first), key(other_type));
  auto other_name = load(with("twice a matrix", "two times a matrix"));
  EXPECT_EQ(key(first), key(other_name));
}

TEST_F(task_files, finds_a_task_by_folder_name_or_path_and_names_the_nearest_otherwise) {
  ASSERT_TRUE(load(good_toml));
  EXPECT_TRUE(find_task(scratch.path(), "scale"));
  EXPECT_TRUE(find_task(scratch.path(), (scratch.path() / "scale").string()));
  EXPECT_TRUE(find_task(scratch.path(), (scratch.path() / "scale" / "task.toml").string()));
  auto typo = find_task(scratch.path(), "sclae");
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.failure().code, errc::not_found);
  EXPECT_EQ(typo.failure().what, "there is no task 'sclae'; did you mean 'scale'? There are: scale");
}

TEST_F(task_files, refuses_a_folder_that_is_not_named_like_its_task) {
  ASSERT_TRUE(load(good_toml));
  scratch.write("other/task.toml", good_toml);
  scratch.write("other/reference.cpp", good_reference);
  auto all = load_tasks(scratch.path());
  ASSERT_FALSE(all);
  EXPECT_NE(all.failure().what.find("the task is called 'scale' but its folder 'other'; give them one name"),
            std::string::npos);
}

TEST_F(task_files, takes_a_reference_in_c_and_keys_it_by_how_it_is_judged_and_built) {
  const std::string in_c = "void kernel(const float* x, double* y, int64_t rows, int64_t columns) { y[0] = x[0]; }\n";
  auto load_c = [&](const std::string& keys) {
    scratch.write("scale/task.toml", with("sizes =", "language = \"c\"\n" + keys + "sizes ="));
    scratch.write("scale/reference.c", "int kernel_count;\n" + in_c);
    return load_task(scratch.path() / "scale");
  };
  auto plain = load_c("");
  ASSERT_TRUE(plain) << plain.failure().what;
  EXPECT_EQ(plain->read()->getLanguage(), wire::Language::C);
  EXPECT_EQ(plain->read()->getOracle(), wire::OracleKind::WIDENED);
  auto as_given = load_c("oracle = \"as_given\"\n");
  ASSERT_TRUE(as_given) << as_given.failure().what;
  auto with_flags = load_c("baseline_flags = [\"-O2\"]\n");
  ASSERT_TRUE(with_flags) << with_flags.failure().what;
  EXPECT_STREQ(with_flags->read()->getBaselineFlags()[0].cStr(), "-O2");
  EXPECT_NE(plain->read()->getKey(), as_given->read()->getKey());
  EXPECT_NE(plain->read()->getKey(), with_flags->read()->getKey());
  EXPECT_FALSE(load_c("oracle = \"real\"\n"));
  EXPECT_NE(complaint(with("sizes =", "oracle = \"widened\"\nsizes =")).find("for tasks with language = \"c\""),
            std::string::npos);
}

}  // namespace
}  // namespace kope
