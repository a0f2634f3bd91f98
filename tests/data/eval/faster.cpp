// Right, and many times faster than the reference: four rows of c by sixteen columns in registers.
typedef float eight __attribute__((vector_size(32), aligned(4)));

namespace {

template <int rows>
void band(const float* a, const float* b, float* c, int64_t n, int64_t k) {
  int64_t j = 0;
  for (; j + 16 <= n; j += 16) {
    eight left[rows] = {}, right[rows] = {};
    for (int64_t p = 0; p < k; ++p) {
      auto row = b + p * n + j;
      eight low = *reinterpret_cast<const eight*>(row), high = *reinterpret_cast<const eight*>(row + 8);
      for (int r = 0; r < rows; ++r) {
        left[r] += a[r * k + p] * low;
        right[r] += a[r * k + p] * high;
      }
    }
    for (int r = 0; r < rows; ++r) {
      *reinterpret_cast<eight*>(c + r * n + j) = left[r];
      *reinterpret_cast<eight*>(c + r * n + j + 8) = right[r];
    }
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
