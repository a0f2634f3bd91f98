//# task = "row_softmax"
//# tries = "Writes 1 / n everywhere, within a hundredth of every right value."
//# outcomes = ["wrong_answer"]
//# caught_by = ["tolerance"]
extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t i = 0; i < rows * n; ++i) y[i] = 1.0f / n;
}
