// A small matrix product as a task, and kernels for it: what the tests of evaluation talk about.
#pragma once

#include <string>
#include <vector>

#include "actors/evaluation/case_bank.hpp"
#include "messages/task.capnp.h"
#include "tests/support/fake_runner.hpp"

namespace kope::testing {

struct small_case {
  std::string name;
  wire::CaseKind kind;
  std::vector<uint32_t> sizes;  // m n k
  wire::FillKind fill = wire::FillKind::UNIFORM;
  double low = -1, high = 1;
};

inline std::vector<small_case> small_cases() {
  return {{"square", wire::CaseKind::VISIBLE, {16, 16, 16}},
          {"one", wire::CaseKind::VISIBLE, {1, 1, 1}},
          {"special", wire::CaseKind::VISIBLE, {9, 8, 4}, wire::FillKind::SPECIAL},
          {"secret", wire::CaseKind::HIDDEN, {19, 23, 17}},
          {"timed", wire::CaseKind::TIMED, {32, 32, 32}}};
}

inline const char* matmul_reference =
    "extern \"C\" void kernel(const real* a, const real* b, real* c, int64_t m, int64_t n, int64_t k) {\n"
    "  for (int64_t i = 0; i < m; ++i)\n"
    "    for (int64_t j = 0; j < n; ++j) {\n"
    "      real sum = 0;\n"
    "      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];\n"
    "      c[i * n + j] = sum;\n"
    "    }\n"
    "}\n";

inline task matmul_task(const std::vector<small_case>& cases = small_cases()) {
  return task::build([&](wire::Task::Builder t) {
    t.setName("matmul");
    t.setFamily("matmul");
    t.setElementType(wire::ElementType::F32);
    t.setReference(matmul_reference);
    auto sizes = t.initSizes(3);
    const char* symbols[] = {"m", "n", "k"};
    for (unsigned i = 0; i < 3; ++i) sizes.set(i, symbols[i]);
    auto tensors = t.initTensors(3);
    const char* names[] = {"a", "b", "c"};
    const char* extents[][2] = {{"m", "k"}, {"k", "n"}, {"m", "n"}};
    for (unsigned i = 0; i < 3; ++i) {
      tensors[i].setName(names[i]);
      tensors[i].setRole(i < 2 ? wire::TensorRole::INPUT : wire::TensorRole::OUTPUT);
      tensors[i].setElementType(wire::ElementType::F32);
      auto list = tensors[i].initExtents(2);
      list.set(0, extents[i][0]);
      list.set(1, extents[i][1]);
    }
    auto list = t.initCases(static_cast<unsigned>(cases.size()));
    for (unsigned i = 0; i < cases.size(); ++i) {
      list[i].setName(cases[i].name);
      list[i].setKind(cases[i].kind);
      auto own = list[i].initSizes(3);
      for (unsigned s = 0; s < 3; ++s) own.set(s, cases[i].sizes[s]);
      auto fills = list[i].initFills(2);
      fills[0].setKind(cases[i].fill);
      fills[0].setLow(cases[i].low);
      fills[0].setHigh(cases[i].high);
      fills[1].setKind(wire::FillKind::UNIFORM);
      fills[1].setLow(-1);
      fills[1].setHigh(1);
    }
    auto drawn = t.initDrawn(3);
    for (unsigned i = 0; i < 3; ++i) {
      drawn[i].setLow(1);
      drawn[i].setHigh(40);
    }
  });
}

/// The reference in T, on f32 inputs as every runner gets them. `sum` sees every product: (sum so far, a, b) gives the
/// next sum.
template <class T, class Step>
fake_kernel matmul_of(Step step) {
  return [step](const void* const* in, void* const* out, const int64_t* size) {
    auto* a = static_cast<const float*>(in[0]);
    auto* b = static_cast<const float*>(in[1]);
    auto* c = static_cast<T*>(out[0]);
    int64_t m = size[0], n = size[1], k = size[2];
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (int64_t p = 0; p < k; ++p) sum = step(sum, T(a[i * k + p]), T(b[p * n + j]));
        c[i * n + j] = sum;
      }
  };
}
template <class T>
fake_kernel matmul() {
  return matmul_of<T>([](T sum, T a, T b) { return sum + a * b; });
}

/// A fake runner that knows the oracle and the baseline, and a bank over it.
struct fake_bench {
  explicit fake_bench(const std::vector<small_case>& cases = small_cases()) {
    with.add("oracle", matmul<double>());
    with.add("baseline", matmul<float>());
    bank = std::make_unique<case_bank>(matmul_task(cases), "oracle", "baseline", with, 42, std::vector<int>{});
  }
  fake_runner with;
  std::unique_ptr<case_bank> bank;
};

}  // namespace kope::testing
