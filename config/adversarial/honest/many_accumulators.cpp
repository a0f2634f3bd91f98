//# task = "row_sums"
//# tries = "Sums in sixteen accumulators."
//# outcomes = ["improved", "undecided"]
typedef float vector __attribute__((vector_size(64), aligned(4), may_alias));

extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    vector part[4] = {};
    int64_t j = 0;
    for (; j + 64 <= n; j += 64)
      for (int i = 0; i < 4; ++i) part[i] += *(const vector*)(x + r * n + j + 16 * i);
    float sum = 0;
    for (; j < n; ++j) sum += x[r * n + j];
    for (auto& each : part)
      for (int lane = 0; lane < 16; ++lane) sum += each[lane];
    y[r] = sum;
  }
}
