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
    {"add", "oneDNN", R"(
void kernel(const float* a, const float* b, float* y, int64_t outer, int64_t m, int64_t n, int64_t k) {
  static auto da = dense({outer, m, 1, k}), db = dense({outer, 1, n, k}), dy = dense({outer, m, n, k});
  static dnnl::binary added({{dnnl::algorithm::binary_add, da, db, dy}, cpu()});
  added.execute(order(), {{DNNL_ARG_SRC_0, over(da, a)}, {DNNL_ARG_SRC_1, over(db, b)}, {DNNL_ARG_DST, over(dy, y)}});
  order().wait();
}
)"},
    {"add", "Eigen", R"(
void kernel(const float* a, const float* b, float* y, int64_t outer, int64_t m, int64_t n, int64_t k) {
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < m; ++i)
      to_matrix(y + (o * m + i) * n * k, n, k) =
          from_matrix(b + o * n * k, n, k).rowwise() + from_matrix(a + (o * m + i) * k, 1, k).row(0);
}
)"},
    {"gelu", "oneDNN", R"(
void kernel(const float* x, float* y, int64_t n) {
  static auto described = dense({n});
  static dnnl::eltwise_forward gelu(
      {{dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_gelu_tanh, described, 0, 0}, cpu()});
  gelu.execute(order(), {{DNNL_ARG_SRC, over(described, x)}, {DNNL_ARG_DST, over(described, y)}});
  order().wait();
}
)"},
    {"gelu", "Eigen", R"(
void kernel(const float* x, float* y, int64_t n) {
  from_array from(x, n);
  to_array(y, n) = 0.5f * from * (1.f + (0.7978845608028654f * (from + 0.044715f * from * from * from)).tanh());
}
)"},
    {"layer_norm", "oneDNN", R"(
void kernel(const float* x, const float* weight, const float* bias, float* y, int64_t rows, int64_t n) {
  static auto described = dense({rows, n}), along = dense({n});
  static dnnl::layer_normalization_forward normalized(
      {{dnnl::prop_kind::forward_inference, described, 1e-5f,
        dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift},
       cpu()});
  normalized.execute(order(), {{DNNL_ARG_SRC, over(described, x)},
                               {DNNL_ARG_SCALE, over(along, weight)},
                               {DNNL_ARG_SHIFT, over(along, bias)},
                               {DNNL_ARG_DST, over(described, y)}});
  order().wait();
}
)"},
    {"layer_norm", "Eigen", R"(
void kernel(const float* x, const float* weight, const float* bias, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    from_array from(x + r * n, n);
    to_array to(y + r * n, n);
    to = from - from.mean();
    to = to * (1 / std::sqrt(to.square().mean() + 1e-5f)) * from_array(weight, n) + from_array(bias, n);
  }
}
)"},
    // The timed case is a matrix: the last two axes change places.
    {"transpose", "OpenBLAS", R"(
void kernel(const float* x, float* y, int64_t d1, int64_t d2, int64_t d3, int64_t d4, int64_t d5, int64_t) {
  one_thread();
  for (int64_t i = 0; i < d1 * d2 * d3; ++i)
    cblas_somatcopy(CblasRowMajor, CblasTrans, d4, d5, 1, x + i * d4 * d5, d5, y + i * d4 * d5, d4);
}
)"},
    {"transpose", "oneDNN", R"(
void kernel(const float* x, float* y, int64_t d1, int64_t d2, int64_t d3, int64_t d4, int64_t d5, int64_t) {
  static dnnl::memory::desc from({d1 * d2 * d3, d5, d4}, dnnl::memory::data_type::f32, dims{d4 * d5, 1, d5});
  static auto to = dense({d1 * d2 * d3, d5, d4});
  static dnnl::reorder moved({cpu(), from, cpu(), to});
  auto source = over(from, x), target = over(to, y);
  moved.execute(order(), source, target);
  order().wait();
}
)"},
    {"transpose", "Eigen", R"(
void kernel(const float* x, float* y, int64_t d1, int64_t d2, int64_t d3, int64_t d4, int64_t d5, int64_t) {
  for (int64_t i = 0; i < d1 * d2 * d3; ++i)
    to_matrix(y + i * d4 * d5, d5, d4).noalias() = from_matrix(x + i * d4 * d5, d4, d5).transpose();
}
)"},
    {"batched_matmul", "OpenBLAS", R"(
void kernel(const float* a, const float* b, float* c, int64_t batch, int64_t m, int64_t n, int64_t k) {
  one_thread();
  for (int64_t i = 0; i < batch; ++i)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a + i * m * k, k, b + i * k * n, n, 0,
                c + i * m * n, n);
}
)"},
    {"batched_matmul", "oneDNN", R"(
void kernel(const float* a, const float* b, float* c, int64_t batch, int64_t m, int64_t n, int64_t k) {
  static auto da = dense({batch, m, k}), db = dense({batch, k, n}), dc = dense({batch, m, n});
  static dnnl::matmul product({{da, db, dc}, cpu()});
  product.execute(order(), {{DNNL_ARG_SRC, over(da, a)}, {DNNL_ARG_WEIGHTS, over(db, b)}, {DNNL_ARG_DST, over(dc, c)}});
  order().wait();
}
)"},
    {"batched_matmul", "Eigen", R"(
void kernel(const float* a, const float* b, float* c, int64_t batch, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < batch; ++i)
    to_matrix(c + i * m * n, m, n).noalias() = from_matrix(a + i * m * k, m, k) * from_matrix(b + i * k * n, k, n);
}
)"},
};

}  // namespace

std::span<const peer_library> peer_libraries() { return libraries; }
std::span<const peer_source> peer_sources() { return sources; }

}  // namespace kope::bench
