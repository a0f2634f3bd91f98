#include "actors/evaluation/kernel_shim.hpp"

#include <functional>
#include <string_view>

#include "actors/evaluation/c_kernel_shim.hpp"
#include "actors/evaluation/element_types.hpp"

namespace kope {

namespace {

using tensor_type = std::function<std::string(wire::Tensor::Reader)>;

std::string_view text(capnp::Text::Reader from) { return {from.begin(), from.size()}; }

/// Size combinations that the oracle is compiled for in particular. Each is one more inlined copy of the reference.
constexpr size_t specialised_cases_max = 4;

constexpr std::string_view headers = "#include <stddef.h>\n#include <stdint.h>\n";

std::string join(const std::vector<std::string>& parts) {
  std::string all;
  for (const auto& part : parts) {
    if (!all.empty()) all += ", ";
    all += part;
  }
  return all;
}

bool is_real(wire::Task::Reader task, wire::Tensor::Reader tensor) {
  return tensor.getElementType() == task.getElementType();
}

std::string parameter_list(wire::Task::Reader task, const tensor_type& type, std::string_view qualifier = "") {
  std::vector<std::string> parts;
  for (auto tensor : task.getTensors()) {
    std::string part = tensor.getRole() == wire::TensorRole::INPUT ? "const " : "";
    part += type(tensor);
    part += "*";
    part += qualifier;
    part += " ";
    part += text(tensor.getName());
    parts.push_back(std::move(part));
  }
  for (auto size : task.getSizes()) parts.push_back("int64_t " + std::string(text(size)));
  return join(parts);
}

// Parameters of a task without inputs would warn, so they are marked.
const std::string entry_head =
    "extern \"C\" __attribute__((visibility(\"default\"))) void kope_entry(\n"
    "    const void* const* inputs __attribute__((unused)), void* const* outputs __attribute__((unused)),\n"
    "    const int64_t* sizes __attribute__((unused))) {\n  ";

/// The entry that the runner calls; `callee` gets the tensors and sizes in prototype order.
std::string entry(wire::Task::Reader task, const tensor_type& type, std::string_view callee) {
  std::vector<std::string> arguments;
  size_t inputs = 0, outputs = 0, sizes = 0;
  for (auto tensor : task.getTensors()) {
    bool input = tensor.getRole() == wire::TensorRole::INPUT;
    std::string from =
        input ? "inputs[" + std::to_string(inputs++) + "]" : "outputs[" + std::to_string(outputs++) + "]";
    arguments.push_back("(" + std::string(input ? "const " : "") + type(tensor) + "*)" + from);
  }
  for (; sizes < task.getSizes().size(); ++sizes) arguments.push_back("sizes[" + std::to_string(sizes) + "]");
  return entry_head + std::string(callee) + "(" + join(arguments) + ");\n}\n";
}

/// Inputs of the task's type arrive as they are for everybody and are widened here: as double they would not fit a
/// session's slots where a case is large. The copies stay allocated, because fresh pages cost more than the copying.
constexpr std::string_view widening =
    "template <int index, class T> static double* kope_widened(const void* from, size_t count) {\n"
    "  static double* kept;\n"
    "  static size_t room;\n"
    "  if (count > room) {\n"
    "    kept = (double*)realloc(kept, count * sizeof(double));\n"
    "    if (!kept) __builtin_trap();\n"
    "    room = count;\n"
    "  }\n"
    "  for (size_t i = 0; i < count; ++i) kept[i] = (double)((const T*)from)[i];\n"
    "  return kept;\n"
    "}\n";

std::string element_count(wire::Task::Reader task, wire::Tensor::Reader tensor) {
  std::string product = "(size_t)1";
  for (auto extent : tensor.getExtents()) {
    auto names = task.getSizes();
    std::string factor(text(extent));
    for (unsigned i = 0; i < names.size(); ++i)
      if (text(names[i]) == text(extent)) factor = "(size_t)sizes[" + std::to_string(i) + "]";
    product += " * " + factor;
  }
  return product;
}

std::string own_type(wire::Tensor::Reader tensor) { return std::string(element_cxx(tensor.getElementType())); }

std::string oracle_entry(wire::Task::Reader task) {
  std::vector<std::string> arguments;
  size_t inputs = 0, outputs = 0;
  for (auto tensor : task.getTensors()) {
    bool input = tensor.getRole() == wire::TensorRole::INPUT;
    std::string index = std::to_string(input ? inputs++ : outputs++);
    if (input && is_real(task, tensor)) {
      arguments.push_back("kope_widened<" + index + ", " + own_type(tensor) + ">(inputs[" + index + "], " +
                          element_count(task, tensor) + ")");
    } else if (input) {
      arguments.push_back("(const " + own_type(tensor) + "*)inputs[" + index + "]");
    } else {
      arguments.push_back("(" + (is_real(task, tensor) ? "double" : own_type(tensor)) + "*)outputs[" + index + "]");
    }
  }
  for (size_t i = 0; i < task.getSizes().size(); ++i) arguments.push_back("sizes[" + std::to_string(i) + "]");
  return entry_head + "kope_oracle(" + join(arguments) + ");\n}\n";
}

// The leading newline ends a candidate's last line, which may lack one.
constexpr std::string_view entry_line = "\n#line 1 \"kope_entry\"\n";

}  // namespace

source_language language_of(wire::Task::Reader task) {
  return task.getLanguage() == wire::Language::C ? source_language::c : source_language::cpp;
}

std::string signature(wire::Task::Reader task) {
  if (task.getLanguage() == wire::Language::C) return c_signature(task);
  return "extern \"C\" void kernel(" + parameter_list(task, own_type) + ");";
}

surrounding candidate_surrounding(wire::Task::Reader task) {
  if (task.getLanguage() == wire::Language::C) return c_candidate_surrounding(task);
  surrounding around;
  around.prologue = std::string(headers) + signature(task) + "\n#line 1 \"kernel.cpp\"\n";
  around.epilogue = std::string(entry_line) + entry(task, own_type, "kernel");
  return around;
}

surrounding baseline_surrounding(wire::Task::Reader task) {
  if (task.getLanguage() == wire::Language::C) return c_baseline_surrounding(task);
  surrounding around;
  around.prologue = std::string(headers) + "typedef " + std::string(element_cxx(task.getElementType())) + " real;\n" +
                    signature(task) + "\n#line 1 \"reference.cpp\"\n";
  around.epilogue = std::string(entry_line) + entry(task, own_type, "kernel");
  return around;
}

surrounding oracle_surrounding(wire::Task::Reader task) {
  if (task.getLanguage() == wire::Language::C) return c_oracle_surrounding(task);
  tensor_type wide = [task](wire::Tensor::Reader tensor) {
    return is_real(task, tensor) ? std::string("double") : own_type(tensor);
  };
  surrounding around;
  around.prologue =
      std::string(headers) +
      "#include <stdlib.h>\ntypedef double real;\nextern \"C\" inline __attribute__((always_inline)) void kernel(" +
      parameter_list(task, wide) + ");\n#line 1 \"reference.cpp\"\n";

  // A function of its own, because GCC believes `restrict` of parameters but not of local pointers once they were
  // inlined. Sizes of timed cases are spelled out: with constant strides GCC 12 vectorises the outer loop of a naive
  // matrix product, which is 2.3 times faster at 512 (measured: 190 ms instead of 440 ms); its loop interchange does
  // not take part in nests with strides known only at run time.
  std::string function =
      "static __attribute__((noinline)) void kope_oracle(" + parameter_list(task, wide, " __restrict") + ") {\n";
  std::vector<std::string> tensors;
  for (auto tensor : task.getTensors()) tensors.emplace_back(text(tensor.getName()));
  auto names = task.getSizes();
  auto call = [&](const std::vector<std::string>& sizes) {
    auto all = tensors;
    all.insert(all.end(), sizes.begin(), sizes.end());
    return "kernel(" + join(all) + ");";
  };
  size_t specialised = 0;
  for (auto c : task.getCases()) {
    if (c.getKind() != wire::CaseKind::TIMED || c.getSizes().size() != names.size() || names.size() == 0) continue;
    if (++specialised > specialised_cases_max) break;
    std::string condition;
    std::vector<std::string> constants;
    for (unsigned i = 0; i < names.size(); ++i) {
      auto value = std::to_string(c.getSizes()[i]);
      condition += (i ? " && " : "") + std::string(text(names[i])) + " == " + value;
      constants.push_back(value);
    }
    function += "  if (" + condition + ") {\n    " + call(constants) + "\n    return;\n  }\n";
  }
  std::vector<std::string> symbols;
  for (auto name : names) symbols.emplace_back(text(name));
  function += "  " + call(symbols) + "\n}\n";
  around.epilogue = std::string(entry_line) + std::string(widening) + function + oracle_entry(task);
  return around;
}

}  // namespace kope
