// The tasks of tasks/: the promises that operators make about their cases, and their references run as text says.
#include <gtest/gtest.h>
#include <math.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>

#include "config/task_files.hpp"
#include "messages/enum_names.hpp"

// Each reference three times: in float as a baseline, in double as the oracle, and in a number that counts.
namespace {
struct counted {
  double value = 0;
  static inline uint64_t operations = 0, exponentials = 0;
  counted(double v = 0) : value(v) {}
  friend counted operator*(counted a, counted b) { return ++operations, counted(a.value * b.value); }
  friend counted operator-(counted a, counted b) { return ++operations, counted(a.value - b.value); }
  friend bool operator>(counted a, counted b) { return a.value > b.value; }
  friend counted exp(counted a) { return ++exponentials, counted(std::exp(a.value)); }
  counted& operator+=(counted other) { return ++operations, value += other.value, *this; }
  counted& operator/=(counted other) { return ++operations, value /= other.value, *this; }
};
}  // namespace

#define real float
#define kernel matmul_float
#include "tasks/matmul/reference.cpp"
#undef kernel
#define kernel sum_float
#include "tasks/sum/reference.cpp"
#undef kernel
#define kernel softmax_float
#include "tasks/softmax/reference.cpp"
#undef kernel
#undef real
#define real double
#define kernel matmul_double
#include "tasks/matmul/reference.cpp"
#undef kernel
#define kernel sum_double
#include "tasks/sum/reference.cpp"
#undef kernel
#define kernel softmax_double
#include "tasks/softmax/reference.cpp"
#undef kernel
#undef real
#define real counted
#define kernel matmul_counted
#include "tasks/matmul/reference.cpp"
#undef kernel
#define kernel sum_counted
#include "tasks/sum/reference.cpp"
#undef kernel
#define kernel softmax_counted
#include "tasks/softmax/reference.cpp"
#undef kernel
#undef real

namespace kope {
namespace {

std::vector<parcel<wire::Task>> shipped() {
  auto tasks = load_tasks("tasks");
  EXPECT_TRUE(tasks) << tasks.failure().what;
  return tasks ? *tasks : std::vector<parcel<wire::Task>>();
}

std::vector<uint32_t> sizes_of(wire::Case::Reader c) {
  std::vector<uint32_t> sizes;
  for (auto size : c.getSizes()) sizes.push_back(size);
  return sizes;
}

TEST(shipped_tasks, are_there) {
  std::set<std::string> names;
  for (auto& task : shipped()) names.insert(task.read()->getName().cStr());
  EXPECT_EQ(names, (std::set<std::string>{"matmul", "softmax", "sum"}));
}

TEST(shipped_tasks, have_twelve_visible_four_hidden_and_four_timed_cases) {
  for (auto& task : shipped()) {
    std::map<wire::CaseKind, int> count;
    auto view = task.read();
    for (auto c : view->getCases()) ++count[c.getKind()];
    EXPECT_EQ(count[wire::CaseKind::VISIBLE], 12) << task.read()->getName().cStr();
    EXPECT_EQ(count[wire::CaseKind::HIDDEN], 4) << task.read()->getName().cStr();
    EXPECT_EQ(count[wire::CaseKind::TIMED], 4) << task.read()->getName().cStr();
  }
}

TEST(shipped_tasks, have_no_shape_twice_so_that_each_case_can_find_something) {
  for (auto& task : shipped()) {
    std::set<std::vector<uint32_t>> shapes;
    auto view = task.read();
    for (auto c : view->getCases()) {
      EXPECT_TRUE(shapes.insert(sizes_of(c)).second) << task.read()->getName().cStr() << " " << c.getName().cStr();
    }
  }
}

TEST(shipped_tasks, have_a_single_element_special_values_a_wide_range_and_cancellation) {
  for (auto& task : shipped()) {
    bool one = false, special = false, hidden_special = false, wide = false, cancelling = false;
    auto view = task.read();
    for (auto c : view->getCases()) {
      auto sizes = sizes_of(c);
      one = one || std::all_of(sizes.begin(), sizes.end(), [](auto size) { return size == 1; });
      for (auto f : c.getFills()) {
        if (f.getKind() == wire::FillKind::SPECIAL)
          (c.getKind() == wire::CaseKind::HIDDEN ? hidden_special : special) = true;
        wide = wide || (f.getKind() == wire::FillKind::LOG_UNIFORM && f.getLow() <= 1e-3 && f.getHigh() >= 1e3);
        cancelling = cancelling || f.getKind() == wire::FillKind::CANCELLING;
      }
    }
    EXPECT_TRUE(one && special && hidden_special && wide && cancelling) << task.read()->getName().cStr();
  }
}

TEST(shipped_tasks, time_first_what_the_readme_promises) {
  auto first_timed = [](std::string_view name) {
    for (auto& task : shipped()) {
      auto view = task.read();
      if (name != view->getName().cStr()) continue;
      for (auto c : view->getCases())
        if (c.getKind() == wire::CaseKind::TIMED) return sizes_of(c);
    }
    return std::vector<uint32_t>();
  };
  EXPECT_EQ(first_timed("matmul"), (std::vector<uint32_t>{512, 512, 512}));
  EXPECT_EQ(first_timed("sum"), (std::vector<uint32_t>{1, 4194304, 1}));
  EXPECT_EQ(first_timed("softmax"), (std::vector<uint32_t>{1024, 1024}));
}

TEST(shipped_tasks, have_references_that_tell_the_compiler_no_more_than_the_prototype_does) {
  for (auto& task : shipped()) {
    std::string text = task.read()->getReference().cStr();
    // exp of every type has one name there
    const std::string allowed = "\n#include <math.h>\n";
    if (auto at = text.find(allowed); at != text.npos) text.erase(at, allowed.size());
    for (auto word : {"restrict", "#pragma", "__builtin", "#include", "float", "double"})
      EXPECT_EQ(text.find(word), std::string::npos) << task.read()->getName().cStr() << " uses " << word;
  }
}

/// Runs the reference with counting numbers; the number of elements that it was given.
size_t count_operations(std::string_view task, capnp::List<uint32_t>::Reader sizes) {
  const int64_t p = sizes[0], q = sizes[1], r = sizes.size() > 2 ? sizes[2] : 1;
  auto tensor = [](int64_t elements) { return std::vector<counted>(static_cast<size_t>(elements)); };
  counted::operations = counted::exponentials = 0;
  if (task == "matmul") {
    auto a = tensor(p * r), b = tensor(r * q), c = tensor(p * q);
    matmul_counted(a.data(), b.data(), c.data(), p, q, r);
    return a.size() + b.size() + c.size();
  }
  auto x = tensor(p * q * r), y = tensor(task == "sum" ? p * r : p * q);
  if (task == "sum")
    sum_counted(x.data(), y.data(), p, q, r);
  else
    softmax_counted(x.data(), y.data(), p, q);
  return x.size() + y.size();
}

// Formulas against what the reference does: every operation counted at the case's own size.
TEST(shipped_tasks, promise_the_arithmetic_that_their_references_do) {
  int compared = 0;
  for (auto& task : shipped()) {
    auto view = task.read();
    for (auto c : view->getCases()) {
      if (c.getFlops() > 1e6) continue;
      const auto elements = count_operations(view->getName().cStr(), c.getSizes());
      const auto what = std::string(view->getName().cStr()) + " " + c.getName().cStr();
      EXPECT_EQ(static_cast<double>(counted::operations), c.getFlops()) << what;
      EXPECT_EQ(static_cast<double>(counted::exponentials), c.getTranscendentals()) << what;
      EXPECT_EQ(static_cast<double>(4 * elements), c.getBytesMin()) << what;
      ++compared;
    }
  }
  EXPECT_GE(compared, 20);
}

// The longest chains of rounding that the cases contain: the baseline must stay far inside any tolerance that would
// still find a lost element, or every speed-up would be measured against a wrong answer.
TEST(shipped_tasks, keep_the_naive_sum_of_four_million_whole_numbers_exact_in_f32) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> whole(-3, 3);
  std::vector<float> x(4194304);
  for (auto& value : x) value = static_cast<float>(whole(random));
  std::vector<double> wide(x.begin(), x.end());
  float narrow_sum = 0;
  double wide_sum = 0;
  sum_float(x.data(), &narrow_sum, 1, static_cast<int64_t>(x.size()), 1);
  sum_double(wide.data(), &wide_sum, 1, static_cast<int64_t>(x.size()), 1);
  EXPECT_EQ(static_cast<double>(narrow_sum), wide_sum);
}

TEST(shipped_tasks, draw_whole_numbers_wherever_a_sum_has_one_long_output) {
  for (auto& task : shipped()) {
    auto view = task.read();
    const std::string name = view->getName().cStr();
    if (name == "softmax") continue;  // its outputs are no sums
    const bool matmul = name == "matmul";
    for (auto c : view->getCases()) {
      auto sizes = c.getSizes();
      double outputs = matmul ? double(sizes[0]) * sizes[1] : double(sizes[0]) * sizes[2];
      double terms = matmul ? sizes[2] : sizes[1];
      if (outputs > 1 || terms < 1000) continue;
      double largest = 1;
      for (auto f : c.getFills()) {
        EXPECT_EQ(f.getKind(), wire::FillKind::INTEGERS) << c.getName().cStr();
        largest *= std::max(std::abs(f.getLow()), std::abs(f.getHigh()));
      }
      EXPECT_LT(terms * largest, std::ldexp(1, 24)) << c.getName().cStr();  // every partial sum is exact
    }
  }
}

TEST(shipped_tasks, compute_a_product_that_a_person_can_check) {
  const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {7, 8, 9, 10, 11, 12};
  float c[4] = {};
  matmul_float(a, b, c, 2, 2, 3);
  EXPECT_EQ(std::vector<float>(c, c + 4), (std::vector<float>{58, 64, 139, 154}));
  double wide[4] = {};
  const double wide_a[] = {1, 2, 3, 4, 5, 6}, wide_b[] = {7, 8, 9, 10, 11, 12};
  matmul_double(wide_a, wide_b, wide, 2, 2, 3);
  EXPECT_EQ(std::vector<double>(wide, wide + 4), (std::vector<double>{58, 64, 139, 154}));
}

TEST(shipped_tasks, turn_each_row_into_shares_of_one) {
  const float x[] = {0, 0, 0, 0, 1000, 1000 + std::log(3.0f), -2000, 1000};  // 2 x 4; exp(1000) is no number
  float y[8] = {};
  softmax_float(x, y, 2, 4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(y[i], 0.25f) << i;
  EXPECT_NEAR(y[4], 0.2, 1e-5);
  EXPECT_NEAR(y[5], 0.6, 1e-5);
  EXPECT_EQ(y[6], 0.0f);
  EXPECT_NEAR(y[7], 0.2, 1e-5);
  const double wide_x[] = {0, std::log(3.0)};
  double wide_y[2] = {};
  softmax_double(wide_x, wide_y, 1, 2);
  EXPECT_NEAR(wide_y[0], 0.25, 1e-15);
  EXPECT_NEAR(wide_y[1], 0.75, 1e-15);
}

TEST(shipped_tasks, sum_the_middle_axis) {
  const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // 2 x 3 x 2
  float y[4] = {};
  sum_float(x, y, 2, 3, 2);
  EXPECT_EQ(std::vector<float>(y, y + 4), (std::vector<float>{9, 12, 27, 30}));
}

}  // namespace
}  // namespace kope
