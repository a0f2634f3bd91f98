#include "actors/coder/flags/compiler_choices.hpp"

#include "actors/coder/flags/loop_pragmas.hpp"
#include "actors/coder/schedule/space_table.hpp"

namespace kope {
namespace {

enum place { optimisation, arithmetic, vector_bits, unrolling, loop_promise, any_vectorisation, prefetching };

// optimisation       -O2 or -O3
// arithmetic         0 as written, 1 terms in any order, 2 -ffast-math
// vector_bits        0 the compiler's choice
// unrolling          0 the compiler's choice, 1 -funroll-loops, more: so often, for the innermost loops
// loop_promise       0 none, 1 iterations do not depend on each other (ivdep), 2 `omp simd`
// any_vectorisation  1: also where the compiler's estimate says that it does not pay
// prefetching        1: instructions that fetch ahead
space_table table_of(std::vector<double> widths) {
  const auto machine_bound = wire::ParameterClass::MACHINE_BOUND, algorithmic = wire::ParameterClass::ALGORITHMIC;
  return {"compiler_choices",
          {{"optimisation", machine_bound, {2, 3}, true},
           {"arithmetic", algorithmic, {0, 1, 2}, true},
           {"vector_bits", machine_bound, std::move(widths), false},
           {"unrolling", machine_bound, {0, 1, 2, 4, 8}, false},
           {"loop_promise", algorithmic, {0, 1, 2}, false},
           {"any_vectorisation", machine_bound, {0, 1}, true},
           {"prefetching", machine_bound, {0, 1}, true}},
          {},
          {}};
}

/// What a source may be asked for: the union over all machines, because the target is not known there.
const space_table& any_machine() {
  static const space_table table = table_of({0, 128, 256, 512});
  return table;
}

bool has_vectors_of_x86(wire::TargetRecord::Reader target) {
  for (auto name : target.getIsa())
    if (name == "avx2" || name == "avx" || name == "avx512f") return true;
  return false;
}

}  // namespace

result<parameter_space> compiler_choices_space(wire::Task::Reader task, wire::TargetRecord::Reader target) {
  if (task.getLanguage() != wire::Language::C)
    return error{errc::invalid_input, std::string("task ") + task.getName().cStr() +
                                          " is no user's file in C, and the coder flags works on such files alone"};
  auto lanes = vector_machine_of(target).lanes;
  auto table = table_of(!has_vectors_of_x86(target) ? std::vector<double>{0}
                        : lanes >= 16               ? std::vector<double>{0, 128, 256, 512}
                                                    : std::vector<double>{0, 128, 256});
  table.starting_points = {{3, 0, 0, 0, 0, 0, 0}, {3, 2, 0, 1, 0, 0, 0}, {3, 1, 0, 0, 2, 1, 0}, {2, 0, 0, 0, 1, 1, 0}};
  return build_space(table);
}

result<generated_source> compiler_choices_source(wire::Task::Reader task,
                                                 capnp::List<wire::Parameter>::Reader parameters) {
  auto point = read_point(any_machine(), parameters);
  if (!point) return point.failure();
  auto& at = *point;
  generated_source made;
  made.flags.push_back(at[optimisation] == 2 ? "-O2" : "-O3");
  if (at[arithmetic] == 1)
    for (auto flag : {"-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"}) made.flags.emplace_back(flag);
  if (at[arithmetic] == 2) made.flags.emplace_back("-ffast-math");
  if (at[vector_bits] > 0) made.flags.push_back("-mprefer-vector-width=" + std::to_string(at[vector_bits]));
  if (at[unrolling] == 1) made.flags.emplace_back("-funroll-loops");
  if (at[loop_promise] == 2) made.flags.emplace_back("-fopenmp-simd");
  if (at[any_vectorisation] == 1) {
    made.flags.emplace_back("-ftree-vectorize");  // -O2 of older compilers does not
    made.flags.emplace_back("-fvect-cost-model=unlimited");
  }
  if (at[prefetching] == 1) made.flags.emplace_back("-fprefetch-loop-arrays");

  std::string pragmas;
  // `omp simd` takes no other pragma beside it
  if (at[unrolling] > 1 && at[loop_promise] != 2)
    pragmas += "#pragma GCC unroll " + std::to_string(at[unrolling]) + "\n";
  if (at[loop_promise] == 1) pragmas += "#pragma GCC ivdep\n";
  if (at[loop_promise] == 2) pragmas += "#pragma omp simd\n";
  std::string_view text(task.getReference().begin(), task.getReference().size());
  made.source = pragmas.empty() ? std::string(text) : with_loop_pragmas(text, pragmas);
  return made;
}

}  // namespace kope
