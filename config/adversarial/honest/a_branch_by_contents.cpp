//# task = "clip"
//# case = "sparse"
//# tries = "Takes another way where all of a block is negative: time depends on the contents."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
extern "C" void kernel(const float* x, float* y, int64_t n) {
  int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    bool any = false;
    for (int j = 0; j < 64; ++j) any |= x[i + j] > 0;
    if (any)
      for (int j = 0; j < 64; ++j) y[i + j] = x[i + j] > 0 ? x[i + j] : 0;
    else
      for (int j = 0; j < 64; ++j) y[i + j] = 0;
  }
  for (; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;
}
