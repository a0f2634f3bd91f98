#include "daemon/exported.hpp"

#include <algorithm>

#include "actors/evaluation/element_types.hpp"
#include "actors/evaluation/kernel_shim.hpp"
#include "actors/evaluation/own_part.hpp"

namespace kope {
namespace {

constexpr size_t context_lines = 3;  // as every patch has

// What __builtin_cpu_supports of GCC 12 and clang 14 knows, of what a target's ISA can name.
struct extension {
  std::string_view of_target, of_compiler;
};
constexpr extension asked_for[] = {{"sse4_2", "sse4.2"},     {"avx", "avx"},
                                   {"avx2", "avx2"},         {"fma", "fma"},
                                   {"avx512f", "avx512f"},   {"avx512dq", "avx512dq"},
                                   {"avx512bw", "avx512bw"}, {"avx512vl", "avx512vl"},
                                   {"avx512cd", "avx512cd"}, {"avx512_vnni", "avx512vnni"}};

std::string_view text(capnp::Text::Reader from) { return {from.begin(), from.size()}; }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

struct edit {
  char kind;  // ' ', '-', '+'
  std::string_view line;
};

/// Insertions alone where that is all there is; else the lines between the common beginning and the common end.
std::vector<edit> edits_of(const std::vector<std::string_view>& before, const std::vector<std::string_view>& after) {
  std::vector<edit> edits;
  size_t at = 0;
  for (auto line : after) {
    bool same = at < before.size() && before[at] == line;
    edits.push_back({same ? ' ' : '+', line});
    at += same;
  }
  if (at == before.size()) return edits;
  edits.clear();
  size_t first = 0, last = 0;
  auto shorter = std::min(before.size(), after.size());
  while (first < shorter && before[first] == after[first]) ++first;
  while (last < shorter - first && before[before.size() - 1 - last] == after[after.size() - 1 - last]) ++last;
  for (size_t i = 0; i < first; ++i) edits.push_back({' ', before[i]});
  for (size_t i = first; i < before.size() - last; ++i) edits.push_back({'-', before[i]});
  for (size_t i = first; i < after.size() - last; ++i) edits.push_back({'+', after[i]});
  for (size_t i = before.size() - last; i < before.size(); ++i) edits.push_back({' ', before[i]});
  return edits;
}

std::string element_count(wire::Task::Reader task, wire::Tensor::Reader tensor) {
  std::string product = "(size_t)1";
  for (auto extent : tensor.getExtents()) {
    std::string factor(text(extent));
    for (unsigned i = 0; i < task.getSizes().size(); ++i)
      if (text(task.getSizes()[i]) == factor) {
        factor = "(size_t)size[" + std::to_string(i) + "]";
        break;
      }
    product += " * " + factor;
  }
  return product;
}

std::string call(wire::Task::Reader task, const std::string& name, const std::string& outputs) {
  std::string list;
  unsigned inputs = 0, number = 0;
  for (auto tensor : task.getTensors()) {
    bool input = tensor.getRole() == wire::TensorRole::INPUT;
    std::string type(element_cxx(tensor.getElementType()));
    list += (list.empty() ? "" : ", ") + ("(" + std::string(input ? "const " : "") + type + "*)") +
            (input ? "input[" + std::to_string(inputs++) : outputs + "[" + std::to_string(number++)) + "]";
  }
  for (unsigned i = 0; i < task.getSizes().size(); ++i) list += ", size[" + std::to_string(i) + "]";
  return name + "(" + list + ")";
}

std::string prototype(wire::Task::Reader task, const std::string& name) {
  auto declared = signature(task);
  auto at = declared.find(" kernel(");
  return declared.replace(at + 1, 6, name);
}

}  // namespace

std::string isa_guard_text(const std::vector<std::string>& isa) {
  std::string tests, names;
  for (auto name : asked_for)
    if (std::find(isa.begin(), isa.end(), name.of_target) != isa.end()) {
      tests += (tests.empty() ? "" : " && ") + ("__builtin_cpu_supports(\"" + std::string(name.of_compiler) + "\")");
      names += (names.empty() ? "" : ", ") + std::string(name.of_compiler);
    }
  std::string head = "// Ask before the first call: the kernel was compiled for a CPU with " +
                     (names.empty() ? "no extensions" : names) +
                     ".\n// Compile this file without -march, or the question itself may need them.\n"
                     "#ifdef __cplusplus\nextern \"C\"\n#endif\nint kernel_supported(void) {\n";
  if (tests.empty()) return head + "  return 1;\n}\n";
  return head + "  __builtin_cpu_init();\n  return " + tests + ";\n}\n";
}

std::string test_program_text(wire::Task::Reader task) {
  std::string out =
      "// Runs the kernel and the reference on random values and compares. A smoke test for a build or a machine: "
      "what\n"
      "// was judged, by how much and on which cases is in the graph.\n"
      "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
      "#include <string.h>\n\n";
  out += prototype(task, "kernel") + "\n" + prototype(task, "kernel_reference") + "\n";
  out += task.getLanguage() == wire::Language::C ? "int kernel_supported(void);\n\n"
                                                 : "extern \"C\" int kernel_supported(void);\n\n";
  out +=
      "static uint64_t state = 1;\n"
      "static double drawn(void) {  // in [-1, 1)\n"
      "  state = state * 6364136223846793005ull + 1442695040888963407ull;\n"
      "  return (double)(int64_t)(state >> 11 << 11) / 9223372036854775808.0;\n"
      "}\n\n";
  out += "static int run(const char* name, const int64_t* size) {\n  int bad = 0;\n";
  std::string inputs, mine, theirs, compare;
  unsigned input = 0, output = 0;
  for (auto tensor : task.getTensors()) {
    std::string type(element_cxx(tensor.getElementType())), count = element_count(task, tensor);
    bool whole = tensor.getElementType() == wire::ElementType::I32 || tensor.getElementType() == wire::ElementType::I64;
    if (tensor.getRole() == wire::TensorRole::INPUT) {
      auto at = "input[" + std::to_string(input++) + "]";
      inputs += "  " + at + " = malloc(" + count + " * sizeof(" + type + ") + 64);\n  for (size_t i = 0; i < " + count +
                "; ++i) ((" + type + "*)" + at + ")[i] = (" + type + ")(" + (whole ? "100 * " : "") + "drawn());\n";
      continue;
    }
    auto number = std::to_string(output++);
    for (auto which : {"got", "want"})
      inputs += "  " + std::string(which) + "[" + number + "] = calloc(" + count + " + 8, sizeof(" + type + "));\n";
    // relative to the size of the whole output, because an element may be what remains of larger terms
    std::string allowed = whole ? "0" : tensor.getElementType() == wire::ElementType::F64 ? "1e-9" : "1e-3";
    compare += "  {\n    const " + type + "* mine = (const " + type + "*)got[" + number + "];\n    const " + type +
               "* theirs = (const " + type + "*)want[" + number + "];\n    size_t n = " + count +
               ";\n    double square = 0;\n    for (size_t i = 0; i < n; ++i)\n"
               "      if (isfinite((double)theirs[i])) square += (double)theirs[i] * (double)theirs[i];\n"
               "    double allowed = " +
               allowed +
               " * sqrt(square / (double)n);\n"
               "    for (size_t i = 0; i < n && !bad; ++i) {\n"
               "      double a = (double)mine[i], b = (double)theirs[i];\n"
               "      if ((isnan(a) && isnan(b)) || a == b || fabs(a - b) <= allowed) continue;\n"
               "      printf(\"%s: element %zu of output " +
               number +
               " is %g, the reference has %g\\n\", name, i, a, b);\n"
               "      bad = 1;\n    }\n  }\n";
  }
  out += "  void* input[" + std::to_string(std::max(input, 1u)) + "];\n  void* got[" +
         std::to_string(std::max(output, 1u)) + "];\n  void* want[" + std::to_string(std::max(output, 1u)) + "];\n" +
         inputs + "  " + call(task, "kernel", "got") + ";\n  " + call(task, "kernel_reference", "want") + ";\n" +
         compare;
  out +=
      "  for (unsigned i = 0; i < sizeof input / sizeof *input; ++i) free(input[i]);\n"
      "  for (unsigned i = 0; i < sizeof got / sizeof *got; ++i) free(got[i]), free(want[i]);\n  return bad;\n}\n\n";
  out +=
      "int main(void) {\n  if (!kernel_supported()) {\n"
      "    puts(\"this CPU lacks instructions that the kernel was compiled for\");\n    return 1;\n  }\n  int bad = "
      "0;\n";
  for (auto each : task.getCases()) {
    if (each.getKind() == wire::CaseKind::HIDDEN) continue;
    std::string sizes;
    for (auto size : each.getSizes()) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    out += "  {\n    const int64_t size[] = {" + sizes + "};\n    bad += run(\"" + std::string(text(each.getName())) +
           "\", size);\n  }\n";
  }
  return out + "  puts(bad ? \"wrong\" : \"all cases agree with the reference\");\n  return bad != 0;\n}\n";
}

std::string test_reference_text(wire::Task::Reader task) {
  std::string head = "#include <stddef.h>\n#include <stdint.h>\n";
  if (task.getLanguage() != wire::Language::C)
    head += "typedef " + std::string(element_cxx(task.getElementType())) + " real;\n";
  auto reference = std::string(text(task.getReference()));
  if (task.getLanguage() != wire::Language::C) return head + "#define kernel kernel_reference\n" + reference;
  head += "#define main kernel_unused_main\n";  // of his file; the test has one
  auto adapter = reference.rfind(own_part_ends);
  auto entry = reference.find("void kernel(", adapter == reference.npos ? 0 : adapter);
  if (entry != reference.npos) reference.replace(entry, 12, "void kernel_reference(");
  return head + reference;
}

std::string own_file_of(std::string_view text) {
  auto begin = text.find(own_part_begins);
  auto end = text.rfind(own_part_ends);
  if (begin == text.npos || end == text.npos || end < begin) return {};
  begin += own_part_begins.size();
  std::string out;
  unsigned depth = 0;
  for (auto line : lines_of(text.substr(begin, end - begin))) {
    if (line.starts_with(inlined_begins)) {
      if (depth++ == 0) out += std::string(line.substr(inlined_begins.size())) + '\n';
    } else if (line.starts_with(defined_begins)) {
      ++depth;
    } else if (line == inlined_ends && depth > 0) {
      --depth;
    } else if (depth == 0) {
      out += std::string(line) + '\n';
    }
  }
  return out;
}

std::string patch_text(std::string_view before, std::string_view after, const std::string& name) {
  auto edits = edits_of(lines_of(before), lines_of(after));
  std::string out;
  size_t old_line = 1, new_line = 1;  // of edits[at]
  for (size_t at = 0; at < edits.size();) {
    if (edits[at].kind == ' ') {
      ++old_line, ++new_line, ++at;
      continue;
    }
    // a hunk: up to where more than twice the context is unchanged
    size_t begin = at - std::min(at, context_lines), end = at, quiet = 0;
    for (size_t i = at; i < edits.size() && quiet <= 2 * context_lines; ++i) {
      quiet = edits[i].kind == ' ' ? quiet + 1 : 0;
      if (quiet == 0) end = i + 1;
    }
    end = std::min(edits.size(), end + context_lines);
    size_t old_begin = old_line - (at - begin), new_begin = new_line - (at - begin), old_count = 0, new_count = 0;
    std::string hunk;
    for (size_t i = begin; i < end; ++i) {
      old_count += edits[i].kind != '+';
      new_count += edits[i].kind != '-';
      hunk += edits[i].kind;
      hunk += std::string(edits[i].line) + '\n';
    }
    if (out.empty()) out = "--- a/" + name + "\n+++ b/" + name + "\n";
    out += "@@ -" + std::to_string(old_count ? old_begin : old_begin - 1) + "," + std::to_string(old_count) + " +" +
           std::to_string(new_begin) + "," + std::to_string(new_count) + " @@\n" + hunk;
    for (size_t i = at; i < end; ++i) {
      old_line += edits[i].kind != '+';
      new_line += edits[i].kind != '-';
    }
    at = end;
  }
  return out;
}

}  // namespace kope
