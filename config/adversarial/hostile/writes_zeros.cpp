//# task = "row_softmax"
//# tries = "Writes zeros where all right values are small."
//# outcomes = ["wrong_answer"]
//# caught_by = ["tolerance", "all_zero_rule"]
extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t i = 0; i < rows * n; ++i) y[i] = 0;
}
