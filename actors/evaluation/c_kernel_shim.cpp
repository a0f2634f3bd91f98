#include "actors/evaluation/c_kernel_shim.hpp"

#include <string_view>

#include "actors/evaluation/element_types.hpp"

namespace kope {

namespace {

constexpr std::string_view types = "#include <stddef.h>\n#include <stdint.h>\n";

// Every header of C that declares something with float in it, and those that a file of one kernel commonly includes:
// their guards keep them out when the widened text includes them again.
constexpr std::string_view headers_before_widening =
    "#include <assert.h>\n#include <complex.h>\n#include <ctype.h>\n#include <errno.h>\n#include <float.h>\n"
    "#include <inttypes.h>\n#include <limits.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stdio.h>\n"
    "#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n";

constexpr std::string_view widened_functions[] = {
    "acos",  "acosh",  "asin", "asinh", "atan",   "atan2", "atanh",     "cbrt",   "ceil",      "copysign",
    "cos",   "cosh",   "erf",  "erfc",  "exp",    "exp2",  "expm1",     "fabs",   "fdim",      "floor",
    "fma",   "fmax",   "fmin", "fmod",  "frexp",  "hypot", "ldexp",     "lgamma", "log",       "log10",
    "log1p", "log2",   "logb", "lrint", "lround", "modf",  "nearbyint", "pow",    "remainder", "rint",
    "round", "scalbn", "sin",  "sinh",  "sqrt",   "tan",   "tanh",      "tgamma", "trunc",
};

std::string_view text(capnp::Text::Reader from) { return {from.begin(), from.size()}; }

bool is_input(wire::Tensor::Reader tensor) { return tensor.getRole() == wire::TensorRole::INPUT; }

/// Entry of the runner: `double_real` for the widened oracle, whose inputs arrive in the task's type.
std::string entry(wire::Task::Reader task, bool double_real) {
  std::string call, copies;
  size_t inputs = 0, outputs = 0;
  for (auto tensor : task.getTensors()) {
    std::string type(element_cxx(tensor.getElementType()));
    bool wide = double_real && tensor.getElementType() == task.getElementType();
    std::string index = std::to_string(is_input(tensor) ? inputs++ : outputs++);
    if (!call.empty()) call += ", ";
    if (is_input(tensor) && wide) {
      std::string count = "(size_t)1";
      for (auto extent : tensor.getExtents()) {
        std::string factor(text(extent));
        for (unsigned i = 0; i < task.getSizes().size(); ++i)
          if (text(task.getSizes()[i]) == text(extent)) factor = "(size_t)sizes[" + std::to_string(i) + "]";
        count += " * " + factor;
      }
      call += "kope_widened(" + index + ", inputs[" + index + "], " + count + ")";
    } else if (is_input(tensor)) {
      call += "(const " + type + "*)inputs[" + index + "]";
    } else {
      call += "(" + (wide ? std::string("double") : type) + "*)outputs[" + index + "]";
    }
  }
  for (unsigned i = 0; i < task.getSizes().size(); ++i)
    call += (call.empty() ? "sizes[" : ", sizes[") + std::to_string(i) + "]";
  return "__attribute__((visibility(\"default\"))) void kope_entry(\n"
         "    const void* const* inputs __attribute__((unused)), void* const* outputs __attribute__((unused)),\n"
         "    const int64_t* sizes __attribute__((unused))) {\n  kernel(" +
         call + ");\n}\n";
}

constexpr std::string_view entry_line = "\n#line 1 \"kope_entry\"\n";

surrounding around(wire::Task::Reader task) {
  return {std::string(types) + c_signature(task) + "\n#line 1 \"kernel.c\"\n",
          std::string(entry_line) + entry(task, false)};
}

}  // namespace

std::string c_signature(wire::Task::Reader task) {
  std::string list;
  for (auto tensor : task.getTensors())
    list += (list.empty() ? "" : ", ") + std::string(is_input(tensor) ? "const " : "") +
            std::string(element_cxx(tensor.getElementType())) + "* " + std::string(text(tensor.getName()));
  for (auto size : task.getSizes()) list += (list.empty() ? "int64_t " : ", int64_t ") + std::string(text(size));
  return "void kernel(" + list + ");";
}

surrounding c_candidate_surrounding(wire::Task::Reader task) { return around(task); }
surrounding c_baseline_surrounding(wire::Task::Reader task) { return around(task); }

surrounding c_oracle_surrounding(wire::Task::Reader task) {
  if (task.getOracle() == wire::OracleKind::AS_GIVEN) return around(task);
  std::string type(element_cxx(task.getElementType()));
  std::string prologue(headers_before_widening);
  prologue += types;
  prologue += "typedef " + type + " kope_element;\n";
  if (task.getElementType() == wire::ElementType::F32) {
    prologue += "#define float double\n";
    for (auto name : widened_functions)
      prologue += "#undef " + std::string(name) + "f\n#define " + std::string(name) + "f " + std::string(name) + "\n";
  }
  // The copies stay allocated, because fresh pages cost more than the copying.
  std::string epilogue(entry_line);
  epilogue +=
      "static double* kope_widened(int index, const void* from, size_t count) {\n"
      "  static double* kept[16];\n"
      "  static size_t room[16];\n"
      "  if (count > room[index]) {\n"
      "    kept[index] = (double*)realloc(kept[index], count * sizeof(double));\n"
      "    if (!kept[index]) __builtin_trap();\n"
      "    room[index] = count;\n"
      "  }\n"
      "  for (size_t i = 0; i < count; ++i) kept[index][i] = (double)((const kope_element*)from)[i];\n"
      "  return kept[index];\n"
      "}\n";
  return {prologue + c_signature(task) + "\n#line 1 \"reference.c\"\n", epilogue + entry(task, true)};
}

}  // namespace kope
