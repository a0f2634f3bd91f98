// Right, and many times faster than the reference: rows of b in vectors, four rows of c at a time.
namespace {

template <int rows>
void band(const float* __restrict a, const float* __restrict b, float* __restrict c, int64_t n, int64_t k) {
  constexpr int width = 16;
  int64_t j = 0;
  for (; j + width <= n; j += width) {
    float sums[rows][width] = {};
    for (int64_t p = 0; p < k; ++p)
      for (int r = 0; r < rows; ++r)
        for (int w = 0; w < width; ++w) sums[r][w] += a[r * k + p] * b[p * n + j + w];
    for (int r = 0; r < rows; ++r)
      for (int w = 0; w < width; ++w) c[r * n + j + w] = sums[r][w];
  }
  for (; j < n; ++j)
    for (int r = 0; r < rows; ++r) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[r * k + p] * b[p * n + j];
      c[r * n + j] = sum;
    }
}

}  // namespace

extern "C" void kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  int64_t i = 0;
  for (; i + 4 <= m; i += 4) band<4>(a + i * k, b, c + i * n, n, k);
  for (; i < m; ++i) band<1>(a + i * k, b, c + i * n, n, k);
}
