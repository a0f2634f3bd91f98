//# task = "row_sums"
//# tries = "Is compiled as if there were no NaN and no infinity, and clips what is large."
//# outcomes = ["wrong_answer"]
//# caught_by = ["special_values"]
//# flags = ["-ffast-math"]
extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += x[r * n + j];
    y[r] = __builtin_fminf(sum, 1e30f);
  }
}
