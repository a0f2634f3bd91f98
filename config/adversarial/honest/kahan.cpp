//# task = "row_sums"
//# tries = "Sums with a correction for each rounding: more exact than the reference, and not what it does."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0, lost = 0;
    for (int64_t j = 0; j < n; ++j) {
      float term = x[r * n + j];
      float more = sum + term;
      float part = __builtin_fabsf(sum) >= __builtin_fabsf(term) ? (sum - more) + term : (term - more) + sum;
      if (part == part) lost += part;  // infinities have no rest
      sum = more;
    }
    y[r] = sum + lost;
  }
}
