//# task = "row_softmax"
//# tries = "Writes NaN into rows whose values are large."
//# outcomes = ["wrong_answer"]
//# caught_by = ["hidden_cases", "special_values"]
extern "C" float expf(float);

extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += y[r * n + j] = expf(x[r * n + j]);
    for (int64_t j = 0; j < n; ++j) y[r * n + j] = x[r * n] > 80 ? __builtin_nanf("") : y[r * n + j] / sum;
  }
}
