//# task = "normalise"
//# tries = "Takes mean and variance in one pass, by Welford's recurrence."
//# outcomes = ["improved", "correct_not_faster", "undecided"]
extern "C" float sqrtf(float);

extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    float mean = 0, squares = 0;
    for (int64_t j = 0; j < n; ++j) {
      float away = x[r * n + j] - mean;
      mean += away / (j + 1);
      squares += away * (x[r * n + j] - mean);
    }
    float scale = 1 / sqrtf(squares / n + 1e-5f);
    for (int64_t j = 0; j < n; ++j) y[r * n + j] = (x[r * n + j] - mean) * scale;
  }
}
