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
  friend counted operator+(counted a, counted b) { return ++operations, counted(a.value + b.value); }
  friend counted operator/(counted a, counted b) { return ++operations, counted(a.value / b.value); }
  friend counted operator-(counted a, counted b) { return ++operations, counted(a.value - b.value); }
  friend bool operator>(counted a, counted b) { return a.value > b.value; }
  friend counted exp(counted a) { return ++exponentials, counted(std::exp(a.value)); }
  friend counted tanh(counted a) { return ++exponentials, counted(std::tanh(a.value)); }
  friend counted erf(counted a) { return ++exponentials, counted(std::erf(a.value)); }
  friend counted sqrt(counted a) { return ++operations, counted(std::sqrt(a.value)); }
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
#define kernel add_float
#include "tasks/add/reference.cpp"
#undef kernel
#define kernel batched_matmul_float
#include "tasks/batched_matmul/reference.cpp"
#undef kernel
#define kernel gelu_float
#include "tasks/gelu/reference.cpp"
#undef kernel
#define kernel gelu_erf_float
#include "tasks/gelu_erf/reference.cpp"
#undef kernel
#define kernel layer_norm_float
#include "tasks/layer_norm/reference.cpp"
#undef kernel
#define kernel transpose_float
#include "tasks/transpose/reference.cpp"
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
#define kernel add_double
#include "tasks/add/reference.cpp"
#undef kernel
#define kernel batched_matmul_double
#include "tasks/batched_matmul/reference.cpp"
#undef kernel
#define kernel gelu_double
#include "tasks/gelu/reference.cpp"
#undef kernel
#define kernel gelu_erf_double
#include "tasks/gelu_erf/reference.cpp"
#undef kernel
#define kernel layer_norm_double
#include "tasks/layer_norm/reference.cpp"
#undef kernel
#define kernel transpose_double
#include "tasks/transpose/reference.cpp"
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
#define kernel add_counted
#include "tasks/add/reference.cpp"
#undef kernel
#define kernel batched_matmul_counted
#include "tasks/batched_matmul/reference.cpp"
#undef kernel
#define kernel gelu_counted
#include "tasks/gelu/reference.cpp"
#undef kernel
#define kernel gelu_erf_counted
#include "tasks/gelu_erf/reference.cpp"
#undef kernel
#define kernel layer_norm_counted
#include "tasks/layer_norm/reference.cpp"
#undef kernel
#define kernel transpose_counted
#include "tasks/transpose/reference.cpp"
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
  EXPECT_EQ(names, (std::set<std::string>{"add", "batched_matmul", "gelu", "gelu_erf", "layer_norm", "matmul",
                                          "softmax", "sum", "transpose"}));
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
  EXPECT_EQ(first_timed("gelu"), (std::vector<uint32_t>{1048576}));
  EXPECT_EQ(first_timed("layer_norm"), (std::vector<uint32_t>{1024, 1024}));
  EXPECT_EQ(first_timed("transpose"), (std::vector<uint32_t>{1, 1, 1, 2048, 2048, 2}));
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
  const int64_t p = sizes[0], q = sizes.size() > 1 ? sizes[1] : 1, r = sizes.size() > 2 ? sizes[2] : 1,
                s = sizes.size() > 3 ? sizes[3] : 1;
  size_t elements = 0;
  auto tensor = [&](int64_t count) {
    elements += static_cast<size_t>(count);
    return std::vector<counted>(static_cast<size_t>(count));
  };
  counted::operations = counted::exponentials = 0;
  if (task == "matmul") {
    auto a = tensor(p * r), b = tensor(r * q), c = tensor(p * q);
    matmul_counted(a.data(), b.data(), c.data(), p, q, r);
  } else if (task == "batched_matmul") {
    auto a = tensor(p * q * s), b = tensor(p * s * r), c = tensor(p * q * r);
    batched_matmul_counted(a.data(), b.data(), c.data(), p, q, r, s);
  } else if (task == "add") {
    auto a = tensor(p * q * s), b = tensor(p * r * s), y = tensor(p * q * r * s);
    add_counted(a.data(), b.data(), y.data(), p, q, r, s);
  } else if (task == "layer_norm") {
    auto x = tensor(p * q), weight = tensor(q), bias = tensor(q), y = tensor(p * q);
    layer_norm_counted(x.data(), weight.data(), bias.data(), y.data(), p, q);
  } else if (task == "transpose") {
    const int64_t t = sizes[4];
    auto x = tensor(p * q * r * s * t), y = tensor(p * q * r * s * t);
    transpose_counted(x.data(), y.data(), p, q, r, s, t, sizes[5]);
  } else {
    auto x = tensor(p * q * r), y = tensor(task == "sum" ? p * r : p * q);
    if (task == "sum")
      sum_counted(x.data(), y.data(), p, q, r);
    else if (task == "softmax")
      softmax_counted(x.data(), y.data(), p, q);
    else if (task == "gelu")
      gelu_counted(x.data(), y.data(), p);
    else
      gelu_erf_counted(x.data(), y.data(), p);
  }
  return elements;
}

// Where a kernel may do less than the reference does: the formula is what remains, never more and not much less.
bool may_do_less(std::string_view task) { return task == "gelu" || task == "layer_norm"; }

// Formulas against what the reference does: every operation counted at the case's own size.
TEST(shipped_tasks, promise_the_arithmetic_that_their_references_do) {
  std::map<std::string, int> compared;
  const auto tasks = shipped();
  for (auto& task : tasks) {
    auto view = task.read();
    for (auto c : view->getCases()) {
      if (c.getFlops() > 1e6 || c.getBytesMin() > 1e7) continue;
      const std::string name = view->getName().cStr();
      const auto elements = count_operations(name, c.getSizes());
      const auto what = name + " " + c.getName().cStr();
      const auto operations = static_cast<double>(counted::operations);
      if (may_do_less(name)) {
        EXPECT_LE(c.getFlops(), operations) << what;
        EXPECT_GE(c.getFlops(), operations / 3) << what;
      } else {
        EXPECT_EQ(operations, c.getFlops()) << what;
      }
      EXPECT_EQ(static_cast<double>(counted::exponentials), c.getTranscendentals()) << what;
      EXPECT_EQ(static_cast<double>(4 * elements), c.getBytesMin()) << what;
      ++compared[name];
    }
  }
  EXPECT_EQ(compared.size(), tasks.size());
  for (auto& [name, count] : compared) EXPECT_GE(count, 5) << name;
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
    if (name != "matmul" && name != "sum") continue;  // outputs of the others are no sums, or many short ones
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

TEST(shipped_tasks, put_axes_into_each_of_the_orders_in_lexicographic_order) {
  const int64_t lengths[5] = {2, 3, 1, 4, 5}, steps[5] = {60, 20, 20, 5, 1};
  std::vector<float> x(120), y(120);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  std::vector<size_t> axis = {0, 1, 2, 3, 4};
  for (int64_t order = 1; order <= 120; ++order, std::next_permutation(axis.begin(), axis.end())) {
    transpose_float(x.data(), y.data(), 2, 3, 1, 4, 5, order);
    for (size_t at = 0; at < y.size(); ++at) {
      int64_t rest = static_cast<int64_t>(at), from = 0;
      for (size_t place = 5; place-- > 0;) {
        from += rest % lengths[axis[place]] * steps[axis[place]];
        rest /= lengths[axis[place]];
      }
      ASSERT_EQ(y[at], x[static_cast<size_t>(from)]) << "order " << order << " at " << at;
    }
  }
}

TEST(shipped_tasks, compute_what_their_definitions_say_at_points_that_a_person_can_check) {
  const double x[] = {0, 1, -1, 3};
  double tanh_form[4], erf_form[4];
  gelu_double(x, tanh_form, 4);
  gelu_erf_double(x, erf_form, 4);
  const double by_tanh[] = {0, 0.8411919906, -0.1588080094, 2.9963626},
               by_erf[] = {0, 0.8413447461, -0.1586552539, 2.9959503};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(tanh_form[i], by_tanh[i], 1e-6) << i;
    EXPECT_NEAR(erf_form[i], by_erf[i], 1e-6) << i;
  }
  const float row[] = {1, 3, 2, 2}, weight[] = {2, 1}, bias[] = {0, 5};
  float y[4];
  layer_norm_float(row, weight, bias, y, 2, 2);
  EXPECT_NEAR(y[0], -2, 1e-4);
  EXPECT_NEAR(y[1], 6, 1e-4);
  EXPECT_EQ(y[2], 0.0f);
  EXPECT_EQ(y[3], 5.0f);
  const float a[] = {1, 2}, b[] = {10, 20, 30};
  float sums[6];
  add_float(a, b, sums, 1, 2, 3, 1);
  EXPECT_EQ(std::vector<float>(sums, sums + 6), (std::vector<float>{11, 21, 31, 12, 22, 32}));
  const float left[] = {1, 2, 3, 4}, right[] = {5, 6, 7, 8};  // two products of 1 x 2 and 2 x 1
  float products[2];
  batched_matmul_float(left, right, products, 2, 1, 1, 2);
  EXPECT_EQ(std::vector<float>(products, products + 2), (std::vector<float>{17, 53}));
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
