//# task = "row_sums"
//# tries = "Takes a shorter way where its input is aligned."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  bool aligned = (uintptr_t)x % 64 == 0 && n % 16 == 0;
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = aligned ? (const float*)__builtin_assume_aligned(x + r * n, 64) : x + r * n;
    float part[16] = {}, sum = 0;
    int64_t j = 0;
    for (; j + 16 <= n; j += 16)
      for (int lane = 0; lane < 16; ++lane) part[lane] += row[j + lane];
    for (; j < n; ++j) sum += row[j];
    for (float each : part) sum += each;
    y[r] = sum;
  }
}
