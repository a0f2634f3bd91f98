//# task = "row_sums"
//# tries = "Reads whole vectors and masks what lies behind the end of the input."
//# outcomes = ["crashed"]
//# caught_by = ["guard_pages"]
typedef float vector __attribute__((vector_size(64), aligned(4), may_alias));

extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    vector sum = {};
    for (int64_t j = 0; j < n; j += 16) {
      vector part = *(const vector*)(x + r * n + j);
      if (n - j < 16)
        for (int lane = 0; lane < 16; ++lane) part[lane] = j + lane < n ? part[lane] : 0;
      sum += part;
    }
    float all = 0;
    for (int lane = 0; lane < 16; ++lane) all += sum[lane];
    y[r] = all;
  }
}
