//# task = "row_sums"
//# tries = "Sums pairs of pairs."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
static float pairs(const float* x, int64_t n) {
  if (n == 1) return x[0];
  return pairs(x, n / 2) + pairs(x + n / 2, n - n / 2);
}

extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) y[r] = pairs(x + r * n, n);
}
