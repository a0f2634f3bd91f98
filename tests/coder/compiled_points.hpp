// For tests of families: a task of each prototype, targets, and many points of a space compiled by the real g++ in one
// translation unit (a process for each point would take minutes), loaded into the test.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "actors/coder/schedule/family.hpp"
#include "actors/planner/parameter_neighbourhood.hpp"

extern char** environ;

namespace kope::testing {

struct tensor_of {
  wire::TensorRole role;
  std::vector<const char*> extents;
};

inline task make_task(const char* family, std::vector<const char*> sizes, std::vector<tensor_of> tensors,
                      std::vector<std::pair<const char*, const char*>> attributes = {}) {
  return task::build([&](wire::Task::Builder to) {
    to.setName("under_test");
    to.setFamily(family);
    auto said = to.initAttributes(attributes.size());
    for (unsigned i = 0; i < attributes.size(); ++i) {
      said[i].setName(attributes[i].first);
      said[i].setValue(attributes[i].second);
    }
    auto symbols = to.initSizes(sizes.size());
    for (unsigned i = 0; i < sizes.size(); ++i) symbols.set(i, sizes[i]);
    auto list = to.initTensors(tensors.size());
    for (unsigned i = 0; i < tensors.size(); ++i) {
      list[i].setName("tensor" + std::to_string(i));
      list[i].setRole(tensors[i].role);
      list[i].setElementType(wire::ElementType::F32);
      auto extents = list[i].initExtents(tensors[i].extents.size());
      for (unsigned e = 0; e < tensors[i].extents.size(); ++e) extents.set(e, tensors[i].extents[e]);
    }
  });
}

inline task matmul_task() {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  return make_task("matmul", {"m", "n", "k"}, {{in, {"m", "k"}}, {in, {"k", "n"}}, {out, {"m", "n"}}});
}

inline task sum_task() {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  return make_task("reduction", {"outer", "n", "inner"}, {{in, {"outer", "n", "inner"}}, {out, {"outer", "inner"}}});
}

inline task softmax_task() {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  return make_task("row_normalisation", {"rows", "n"}, {{in, {"rows", "n"}}, {out, {"rows", "n"}}});
}

inline task batched_matmul_task() {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  return make_task("batched_matmul", {"batch", "m", "n", "k"},
                   {{in, {"batch", "m", "k"}}, {in, {"batch", "k", "n"}}, {out, {"batch", "m", "n"}}});
}

/// Of one input with one axis; the input is called tensor0.
inline task map_task(const char* formula) {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  return make_task("elementwise", {"n"}, {{in, {"n"}}, {out, {"n"}}}, {{"formula", formula}});
}

/// Of two inputs that repeat along one axis each.
inline task broadcasting_task() {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  return make_task("elementwise", {"outer", "m", "n", "k"},
                   {{in, {"outer", "m", "k"}}, {in, {"outer", "n", "k"}}, {out, {"outer", "m", "n", "k"}}},
                   {{"formula", "tensor0 - 2 * tensor1"}});
}

inline task layer_norm_task() {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  return make_task("layer_normalisation", {"rows", "n"},
                   {{in, {"rows", "n"}}, {in, {"n"}}, {in, {"n"}}, {out, {"rows", "n"}}}, {{"epsilon", "1e-5"}});
}

inline task transpose_task() {
  const auto in = wire::TensorRole::INPUT, out = wire::TensorRole::OUTPUT;
  return make_task("data_movement", {"a", "b", "c", "d", "order"},
                   {{in, {"a", "b", "c", "d"}}, {out, {"a", "b", "c", "d"}}}, {{"order", "order"}});
}

/// A task that the family takes.
inline task task_of(const family& one) {
  for (auto& of : {matmul_task(), sum_task(), softmax_task(), batched_matmul_task(), broadcasting_task(),
                   layer_norm_task(), transpose_task()})
    if (one.name() == of.read()->getFamily().cStr()) return of;
  ADD_FAILURE() << "no task of family " << one.name() << ": add one above";
  return matmul_task();
}

inline parcel<wire::TargetRecord> target_with(std::vector<const char*> isa) {
  return parcel<wire::TargetRecord>::build([&](wire::TargetRecord::Builder to) {
    auto names = to.initIsa(isa.size());
    for (unsigned i = 0; i < isa.size(); ++i) names.set(i, isa[i]);
  });
}

inline parcel<wire::TargetRecord> this_target() {
  if (__builtin_cpu_supports("avx512f")) return target_with({"sse2", "avx", "avx2", "avx512f"});
  if (__builtin_cpu_supports("avx2")) return target_with({"sse2", "avx", "avx2"});
  return target_with({"sse2"});
}

inline result<generated_source> generate(const family& of, const task& what, const parameter_space& space,
                                         const point& at) {
  auto parameters = parcel<wire::Point>::build(
      [&](wire::Point::Builder to) { write_parameters(*space.read(), at, to.initParameters(at.size())); });
  return of.generate(*what.read(), parameters.read()->getParameters());
}

/// All starting points and random ones, none twice. Each is a second of the compiler: more of them with time to spare.
inline std::vector<point> some_points(const parameter_space& space) {
  auto points = starting_points(*space.read());
  const size_t wanted = points.size() + (std::getenv("KOPE_TEST_ALL") ? 30 : 12);
  random_source random(7);
  while (points.size() < wanted) {
    auto drawn = random_point(*space.read(), random);
    if (!drawn) break;
    if (std::find(points.begin(), points.end(), *drawn) == points.end()) points.push_back(*drawn);
  }
  return points;
}

class compiled_points {
public:
  /// Fails the test when they do not compile without a warning.
  compiled_points(const std::vector<std::string>& sources, const std::string& march,
                  const std::string& program = "g++") {
    char pattern[] = "/tmp/kope_family_XXXXXX";
    folder_ = ::mkdtemp(pattern);
    std::ofstream unit(folder_ + "/points.cpp");
    unit << "#include <stdint.h>\n";
    for (size_t i = 0; i < sources.size(); ++i)
      unit << "#define kernel kernel_" << i << "\nnamespace point_" << i << " {\n"
           << sources[i] << "\n}\n#undef kernel\n";
    unit.close();
    std::vector<std::string> words = {program, "-O3", "-march=" + march, "-ffp-contract=fast", "-fno-math-errno",
                                      "-fno-trapping-math", "-std=c++20", "-Wall", "-Wextra", "-Werror",
                                      // the kernels' functions are local: no caller is built for another vector width
                                      "-Wno-psabi", "-shared", "-fPIC", "-o", folder_ + "/points.so",
                                      folder_ + "/points.cpp"};
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    int status = -1;
    EXPECT_EQ(::posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ), 0)
        << "no " << program << " here";
    ::waitpid(child, &status, 0);
    compiled_ = status == 0;
    EXPECT_TRUE(compiled_) << "the compiler's messages are above";
  }
  compiled_points(const compiled_points&) = delete;
  compiled_points& operator=(const compiled_points&) = delete;
  ~compiled_points() {
    if (library_) ::dlclose(library_);
    std::filesystem::remove_all(folder_);
  }

  bool compiled() const { return compiled_; }

  template <class Kernel>
  Kernel kernel(size_t place) {
    if (!library_) library_ = ::dlopen((folder_ + "/points.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << ::dlerror();
    return library_ ? reinterpret_cast<Kernel>(::dlsym(library_, ("kernel_" + std::to_string(place)).c_str()))
                    : nullptr;
  }

private:
  std::string folder_;
  bool compiled_ = false;
  void* library_ = nullptr;
};

/// g++, and clang++ where there is one.
inline std::vector<std::string> compilers_here() {
  std::vector<std::string> all = {"g++"};
  if (std::filesystem::exists("/usr/bin/clang++")) all.push_back("clang++");
  return all;
}

/// A family and a task that it takes; points of its spaces, compiled together.
class family_test : public ::testing::Test {
protected:
  family_test(const char* family_name, task of) : under_test(*find_family(family_name)), what(std::move(of)) {}

  std::vector<std::string> sources_of(const parameter_space& space, const std::vector<point>& points) {
    std::vector<std::string> sources;
    for (const auto& at : points) {
      auto made = generate(under_test, what, space, at);
      EXPECT_TRUE(made) << point_text(*space.read(), at);
      if (made) sources.push_back(made->source);
    }
    return sources;
  }

  /// `expect(kernel, text of its point)` for each point until one fails fatally. Few points, as starting points are,
  /// are tried with every compiler that is here: a text is C++ for all of them.
  template <class Kernel, class Expect>
  void expect_of_each(const parameter_space& space, const std::vector<point>& points, Expect&& expect) {
    for (const auto& program : compilers_here()) {
      if (program != "g++" && points.size() > 4) continue;
      compiled_points built(sources_of(space, points), "native", program);
      ASSERT_TRUE(built.compiled()) << program;
      for (size_t i = 0; i < points.size() && !HasFatalFailure(); ++i)
        expect(built.kernel<Kernel>(i), program + " " + point_text(*space.read(), points[i]));
    }
  }

  const family& under_test;
  task what;
};

/// Memory for an output: poisoned, one element off any alignment, with a margin that must stay as it is.
class guarded_output {
public:
  explicit guarded_output(size_t elements) : all_(elements + 2 * margin + 1, poison) {}
  float* data() { return all_.data() + margin + 1; }
  bool margins_are_untouched() const {
    for (size_t i = 0; i < margin + 1; ++i)
      if (all_[i] != poison) return false;
    for (size_t i = all_.size() - margin; i < all_.size(); ++i)
      if (all_[i] != poison) return false;
    return true;
  }

private:
  static constexpr size_t margin = 64;
  static constexpr float poison = -12345.5f;
  std::vector<float> all_;
};

/// Uniform in [-1, 1), from one element on so that nothing is aligned to a vector.
inline std::vector<float> drawn_values(size_t elements, uint64_t seed) {
  random_source random(seed);
  std::vector<float> values(elements + 1);
  for (auto& value : values) value = static_cast<float>(static_cast<double>(random() >> 40) / (1 << 23) - 1);
  return values;
}

}  // namespace kope::testing
