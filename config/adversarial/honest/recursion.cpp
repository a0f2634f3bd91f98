//# task = "row_sums"
//# tries = "Adds by halves, recursively: another order of the same sum."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
static float total(const float* x, int64_t n) {
  if (n > 64) return total(x, n / 2) + total(x + n / 2, n - n / 2);
  float part[16] = {};
  int64_t j = 0;
  for (; j + 16 <= n; j += 16)
    for (int lane = 0; lane < 16; ++lane) part[lane] += x[j + lane];
  float sum = 0;
  for (; j < n; ++j) sum += x[j];
  for (float each : part) sum += each;
  return sum;
}

extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) y[r] = total(x + r * n, n);
}
