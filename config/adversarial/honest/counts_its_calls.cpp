//# task = "row_sums"
//# tries = "Counts its calls and sums what it has written: state, but no answer from it."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
static long calls;
static double written;

extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  ++calls;
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += x[r * n + j];
    y[r] = sum;
    written += sum;
  }
}
