#include "bench/fma_peak.hpp"

#include <algorithm>

#include "actors/coder/schedule/space_table.hpp"

namespace kope::bench {
namespace {

// Twelve chains: a multiply-add takes 4 to 5 cycles and two start in each, so ten chains keep both units busy; with two
// constants they fit 16 registers. The values stay near one: no denormals.
constexpr std::string_view chains_source = R"(
typedef float vec __attribute__((vector_size(4 * LANES)));
#define EACH(do) do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11)
extern "C" __attribute__((visibility("default")))
void kope_entry(const void* const*, void* const* outputs, const int64_t* sizes) {
  const vec factor = vec{} + 0.999f, term = vec{} + 0.001f;
#define START(i) vec chain##i = vec{} + (1 + 0.01f * i);
#define STEP(i) chain##i = chain##i * factor + term;
#define STORE(i) __builtin_memcpy((char*)outputs[0] + i * sizeof(vec), &chain##i, sizeof(vec));
  EACH(START)
  for (int64_t step = 0; step < sizes[0]; ++step) { EACH(STEP) }
  EACH(STORE)
}
)";
constexpr double chains = 12;
constexpr int64_t steps = 10'000'000;
constexpr int batches = 7;  // 40 ms each: the best of them had its CPU wholly even on a busy machine
constexpr double batch_seconds_max = 10;

}  // namespace

result<double> measure_fma_peak(workplace& at, int cpu) {
  auto target = at.tools().target.read();
  int lanes = vector_machine_of(*target).lanes;
  auto built = compile_and_wait(*at.tools().tool,
                                {.source = std::string(chains_source),
                                 .prologue = "#include <stdint.h>\n#define LANES " + std::to_string(lanes) + "\n"});
  if (!built) return built.failure();
  if (!built->read()->getSucceeded())
    return error{errc::internal, std::string("the kernel that measures the peak does not compile: ") +
                                     built->read()->getDiagnostics().cStr()};
  session_request request;
  request.artifact = std::as_bytes(std::span(bytes_of(*built)));
  request.layout.output_bytes = {static_cast<size_t>(chains) * 4 * static_cast<size_t>(lanes)};
  request.layout.sizes = {steps};
  request.place = placement::cache_aligned;
  request.cpus = {cpu};
  request.urgent = true;
  measuring_alone alone(*at.tools().measuring);
  auto session = at.tools().with_runner->open(request);
  if (!session) return session.failure();
  double best = 0;
  for (int batch = 0; batch < batches; ++batch) {
    uint32_t slot = 0;
    auto report = (*session)->call({&slot, 1}, batch_seconds_max);
    if (!report) return report.failure();
    if (report->end != batch_end::done) return error{errc::internal, "the kernel that measures the peak failed"};
    best = std::max(best, 2 * chains * lanes * static_cast<double>(steps) / report->seconds);
  }
  return best;
}

}  // namespace kope::bench
