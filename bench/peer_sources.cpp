#include "bench/peer_sources.hpp"

namespace kope::bench {
namespace {

// OpenBLAS and oneDNN can use all cores; the target of the comparison has one thread.
constexpr peer_library libraries[] = {
    {"OpenBLAS", "libopenblas-dev", "-lopenblas", R"(
#include <cblas.h>
#include <string>
static void one_thread() {
  static bool done;
  if (!done) openblas_set_num_threads(1);
  done = true;
}
static const char* about() {
  static std::string text = std::string(openblas_get_config()) + ", running " + openblas_get_corename();
  return text.c_str();
}
)"},
    {"oneDNN", "libdnnl-dev", "-ldnnl", R"(
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
using dims = dnnl::memory::dims;
static dnnl::engine& cpu() {
  static dnnl::engine made(dnnl::engine::kind::cpu, 0);
  return made;
}
static dnnl::stream& order() {
  static dnnl::stream made(cpu());
  return made;
}
static dnnl::memory::desc dense(const dims& extents) {
  dims strides(extents.size(), 1);
  for (size_t i = extents.size(); i-- > 1;) strides[i - 1] = strides[i] * extents[i];
  return {extents, dnnl::memory::data_type::f32, strides};
}
static dnnl::memory over(const dnnl::memory::desc& described, const void* at) {
  return dnnl::memory(described, cpu(), const_cast<void*>(at));
}
static const char* about() {
  auto version = dnnl_version();
  static std::string text = "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
                            std::to_string(version->patch) + ", instruction set " +
                            std::to_string(int(dnnl::get_effective_cpu_isa()));
  return text.c_str();
}
)"},
    {"Eigen", "libeigen3-dev", "", R"(
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_NO_DEBUG
#include <eigen3/Eigen/Core>
#include <string>
using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using to_matrix = Eigen::Map<matrix>;
using from_matrix = Eigen::Map<const matrix>;
using to_array = Eigen::Map<Eigen::ArrayXf>;
using from_array = Eigen::Map<const Eigen::ArrayXf>;
static const char* about() {
  static std::string text = "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
                            std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION) + ", " +
                            Eigen::SimdInstructionSetsInUse();
  return text.c_str();
}
)"},
};

constexpr peer_source sources[] = {
    {"matmul", "OpenBLAS", R"(
void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  one_thread();
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
}
)"},
    {"matmul", "oneDNN", R"(
void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  static auto da = dense({m, k}), db = dense({k, n}), dc = dense({m, n});
  static dnnl::matmul product({{da, db, dc}, cpu()});
  product.execute(order(), {{DNNL_ARG_SRC, over(da, a)}, {DNNL_ARG_WEIGHTS, over(db, b)}, {DNNL_ARG_DST, over(dc, c)}});
  order().wait();
}
)"},
    {"matmul", "Eigen", R"(
void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  to_matrix(c, m, n).noalias() = from_matrix(a, m, k) * from_matrix(b, k, n);
}
)"},
    // cblas_ssum is OpenBLAS's own extension of the BLAS.
    {"sum", "OpenBLAS", R"(
void kernel(const float* x, float* y, int64_t outer, int64_t n, int64_t inner) {
  one_thread();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) y[o * inner + i] = cblas_ssum(n, x + o * n * inner + i, inner);
}
)"},
    {"sum", "oneDNN", R"(
void kernel(const float* x, float* y, int64_t outer, int64_t n, int64_t inner) {
  static auto dx = dense({outer, n, inner}), dy = dense({outer, 1, inner});
  static dnnl::reduction reduced({{dnnl::algorithm::reduction_sum, dx, dy, 0, 0}, cpu()});
  reduced.execute(order(), {{DNNL_ARG_SRC, over(dx, x)}, {DNNL_ARG_DST, over(dy, y)}});
  order().wait();
}
)"},
    {"sum", "Eigen", R"(
void kernel(const float* x, float* y, int64_t outer, int64_t n, int64_t inner) {
  for (int64_t o = 0; o < outer; ++o) {
    if (inner == 1) {
      y[o] = from_array(x + o * n, n).sum();
    } else {
      to_matrix(y + o * inner, 1, inner) = from_matrix(x + o * n * inner, n, inner).colwise().sum();
    }
  }
}
)"},
    {"softmax", "oneDNN", R"(
void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  static auto described = dense({rows, n});
  static dnnl::softmax_forward softmax({{dnnl::prop_kind::forward_inference, described, 1}, cpu()});
  softmax.execute(order(), {{DNNL_ARG_SRC, over(described, x)}, {DNNL_ARG_DST, over(described, y)}});
  order().wait();
}
)"},
    {"softmax", "Eigen", R"(
void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    from_array from(x + r * n, n);
    to_array to(y + r * n, n);
    to = (from - from.maxCoeff()).exp();
    to *= 1 / to.sum();
  }
}
)"},
};

}  // namespace

std::span<const peer_library> peer_libraries() { return libraries; }
std::span<const peer_source> peer_sources() { return sources; }

}  // namespace kope::bench
