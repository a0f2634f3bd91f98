//# task = "row_sums"
//# tries = "Sums in double."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    double part[8] = {};
    int64_t j = 0;
    for (; j + 8 <= n; j += 8)
      for (int lane = 0; lane < 8; ++lane) part[lane] += x[r * n + j + lane];
    double sum = 0;
    for (; j < n; ++j) sum += x[r * n + j];
    for (double each : part) sum += each;
    y[r] = (float)sum;
  }
}
