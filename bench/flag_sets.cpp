#include "bench/flag_sets.hpp"

#include "actors/evaluation/kernel_shim.hpp"

namespace kope::bench {

const std::vector<std::vector<std::string>>& flag_sets() {
  static const std::vector<std::vector<std::string>> sets{
      {"-O2"},
      {"-O3"},
      {"-Ofast"},
      {"-O3", "-ffast-math", "-funroll-loops"},
      {"-O3", "-ffast-math", "-mprefer-vector-width=256"},
      {"-O3", "-ffast-math", "-mprefer-vector-width=512", "-fvect-cost-model=unlimited"},
      {"-Ofast", "-floop-interchange", "-fprefetch-loop-arrays"},
  };
  return sets;
}

result<build> compile_reference(workplace& at, std::string_view task_name, const std::vector<std::string>& flags) {
  auto of = at.task_of(task_name).read();
  auto around = baseline_surrounding(*of);
  auto built = compile_and_wait(*at.tools().tool, {.source = of->getReference().cStr(),
                                                   .prologue = std::move(around.prologue),
                                                   .epilogue = std::move(around.epilogue),
                                                   .flags = flags,
                                                   .baseline = true});
  if (!built) return built.failure();
  auto view = built->read();
  if (!view->getSucceeded())
    return error{errc::internal, std::string("the reference does not compile: ") + view->getDiagnostics().cStr()};
  return built;
}

}  // namespace kope::bench
