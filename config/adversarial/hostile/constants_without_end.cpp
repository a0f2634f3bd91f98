//# task = "product"
//# tries = "Computes for ever while it is compiled."
//# outcomes = ["build_failed", "timed_out"]
//# caught_by = ["compiler_limits"]
constexpr long spin(long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += i & 3;
  return sum;
}
constexpr long a0 = spin(200000), a1 = spin(250000);
template <long N>
constexpr long more = spin(250000 - N) + more<N - 1>;
template <>
constexpr long more<0> = 0;
static long boom = more<800>;

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
