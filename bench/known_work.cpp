#include "bench/known_work.hpp"

namespace kope::bench {
namespace {

// Few elements of many steps: a CPU overlaps the end of one chain with the beginning of the next, and how much of a
// short chain that saves depends on what else it does.
constexpr known_length lengths[] = {
    {"10_us", 20, 540, 0.5, 1.5}, {"1_ms", 100, 9300, 0.5, 1.5}, {"50_ms", 200, 230000, 2, 5}};

constexpr const char* reference = R"(// Each element goes so many steps towards a multiple of what it was.
extern "C" void kernel(const real* x, real* y, int64_t n, int64_t steps) {
  for (int64_t i = 0; i < n; ++i) {
    real v = x[i];
    for (int64_t s = 0; s < steps; ++s) v = v * real(0.999) + x[i] * real(0.25);
    y[i] = v;
  }
}
)";

// One element after another: vectors would make the work of the last few elements differ from that of the others. Not
// inlined, so that both kernels run the same instructions.
constexpr const char* advance = R"(
__attribute__((noinline, noclone, optimize("no-tree-vectorize")))
static void advance(const float* x, float* y, int64_t n, int64_t steps) {
  for (int64_t i = 0; i < n; ++i) {
    float v = x[i];
    for (int64_t s = 0; s < steps; ++s) v = v * 0.999f + x[i] * 0.25f;
    y[i] = v;
  }
}
static float again[4096];
extern "C" void kernel(const float* x, float* y, int64_t n, int64_t steps) {
  advance(x, y, n, steps);
)";

}  // namespace

std::span<const known_length> known_lengths() { return lengths; }

std::string shorter_kernel() { return std::string(advance) + "}\n"; }

std::string longer_kernel() {
  // The compiler must not find out that nobody reads what was done again.
  return std::string(advance) +
         "  advance(x, again, n / 20, steps);\n  asm volatile(\"\" : : \"r\"(again) : \"memory\");\n}\n";
}

task known_work_task() {
  return task::build([](wire::Task::Builder t) {
    t.setName("known_work");
    t.setElementType(wire::ElementType::F32);
    t.setReference(reference);
    auto sizes = t.initSizes(2);
    sizes.set(0, "n");
    sizes.set(1, "steps");
    auto tensors = t.initTensors(2);
    for (unsigned i = 0; i < 2; ++i) {
      tensors[i].setName(i == 0 ? "x" : "y");
      tensors[i].setRole(i == 0 ? wire::TensorRole::INPUT : wire::TensorRole::OUTPUT);
      tensors[i].setElementType(wire::ElementType::F32);
      tensors[i].initExtents(1).set(0, "n");
    }
    auto cases = t.initCases(std::size(lengths));
    for (unsigned i = 0; i < std::size(lengths); ++i) {
      cases[i].setName(lengths[i].name);
      cases[i].setKind(wire::CaseKind::TIMED);
      auto own = cases[i].initSizes(2);
      own.set(0, lengths[i].elements);
      own.set(1, lengths[i].steps);
      auto fill = cases[i].initFills(1)[0];
      fill.setKind(wire::FillKind::UNIFORM);
      fill.setLow(0.5);
      fill.setHigh(1.5);
    }
    auto drawn = t.initDrawn(2);
    for (auto range : drawn) {
      range.setLow(1);
      range.setHigh(40);
    }
  });
}

}  // namespace kope::bench
