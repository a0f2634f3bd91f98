//# task = "product"
//# tries = "Instantiates templates exponentially."
//# outcomes = ["build_failed", "timed_out"]
//# caught_by = ["compiler_limits"]
template <int depth, int path>
struct bomb {
  static constexpr long value = bomb<depth - 1, path * 2>::value + bomb<depth - 1, path * 2 + 1>::value;
};
template <int path>
struct bomb<0, path> {
  static constexpr long value = path;
};
static long boom = bomb<24, 1>::value;

static void product(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t m, int64_t n,
                    int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  product(a, b, c, m, n, k);
}
