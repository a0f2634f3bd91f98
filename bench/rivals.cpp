#include "bench/rivals.hpp"

#include <algorithm>

#include "actors/evaluation/kernel_shim.hpp"
#include "config/toolchain_files.hpp"
#include "daemon/catalogue.hpp"

namespace kope::bench {
namespace {

struct peer_entry {
  std::string_view task;
  std::string_view source;
};

// One thread: the target of the comparison has one.
constexpr std::string_view peer_head = R"(
#include <cblas.h>
static void one_thread() {
  static bool done;
  if (!done) openblas_set_num_threads(1);
  done = true;
}
)";

// cblas_ssum is OpenBLAS's own extension of the BLAS.
constexpr peer_entry peers[] = {
    {"matmul", R"(
void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  one_thread();
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
}
)"},
    {"sum", R"(
void kernel(const float* x, float* y, int64_t outer, int64_t n, int64_t inner) {
  one_thread();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) y[o * inner + i] = cblas_ssum(n, x + o * n * inner + i, inner);
}
)"},
};

// A runner can neither print nor exit: the answer comes back as an output, a text with its end.
constexpr size_t answer_bytes = 512;
constexpr std::string_view asking = R"(
#include <string.h>
extern "C" __attribute__((visibility("default"))) void kope_entry(const void* const*, void* const* outputs,
                                                                  const int64_t* sizes) {
  char* text = (char*)outputs[0];
  size_t room = sizes[0];
  memset(text, 0, room);
  for (const char* part : {(const char*)openblas_get_config(), ", running ", (const char*)openblas_get_corename()}) {
    size_t length = strlen(part);
    if (length + 1 > room) length = room - 1;
    memcpy(text, part, length);
    text += length;
    room -= length;
  }
}
)";
constexpr double asking_seconds_max = 5;

/// The toolchain's compiler, which links the library too. Made for each peer: there are two.
result<build> compile_with_library(workplace& at, compile_request request) {
  auto description =
      load_toolchain(at.tools().share / "config" / "toolchains", at.tools().toolchain.read()->getName().cStr());
  if (!description) return description.failure();
  description->base_flags.insert(description->base_flags.end(), {"-Wl,--no-as-needed", "-lopenblas"});
  auto linking = make_compiler(*at.tools().processes, *description, (at.tools().data / "scratch" / "peer").string());
  if (!linking) return linking.failure();
  auto built = compile_and_wait(**linking, std::move(request));
  if (!built) return built.failure();
  auto view = built->read();
  std::string said = view->getDiagnostics().cStr();
  if (view->getSucceeded()) return built;
  // No header, another library's header, or no library.
  if (said.find("openblas") != std::string::npos || said.find("cblas.h") != std::string::npos)
    return error{errc::tool_missing,
                 "OpenBLAS cannot be used: apt-get install libopenblas-dev (" + said.substr(0, said.find('\n')) + ")"};
  return error{errc::internal, "a peer does not compile: " + said};
}

}  // namespace

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

result<std::optional<build>> compile_peer(workplace& at, std::string_view task_name) {
  auto found = std::find_if(std::begin(peers), std::end(peers), [&](auto& peer) { return peer.task == task_name; });
  if (found == std::end(peers)) return std::optional<build>();
  auto of = at.task_of(task_name).read();
  auto around = candidate_surrounding(*of);
  auto built = compile_with_library(at, {.source = std::string(peer_head) + std::string(found->source),
                                         .prologue = std::move(around.prologue),
                                         .epilogue = std::move(around.epilogue)});
  if (!built) return built.failure();
  return std::optional<build>(std::move(*built));
}

result<std::string> peer_description(workplace& at) {
  auto built = compile_with_library(at, {.source = std::string(peer_head) + std::string(asking),
                                         .prologue = "#include <stdint.h>\n#include <initializer_list>\n"});
  if (!built) return built.failure();
  session_request request;
  request.artifact = std::as_bytes(std::span(bytes_of(*built)));
  request.layout.output_bytes = {answer_bytes};
  request.layout.sizes = {answer_bytes};
  request.cpus = {at.tools().cpus.front()};
  auto session = at.tools().with_runner->open(request);
  if (!session) return session.failure();
  uint32_t slot = 0;
  auto report = (*session)->call({&slot, 1}, asking_seconds_max);
  if (!report) return report.failure();
  auto answer = (*session)->output(0, 0);
  std::string said(reinterpret_cast<const char*>(answer.data()), answer.size());
  said.resize(std::min(said.find('\0'), said.size()));
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  if (report->end != batch_end::done || said.empty())
    return error{errc::internal, "OpenBLAS did not say what it is: " + (*session)->last_words()};
  return said;
}

}  // namespace kope::bench
