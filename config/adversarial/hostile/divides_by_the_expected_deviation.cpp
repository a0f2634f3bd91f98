//# task = "normalise"
//# tries = "Takes mean and variance from the first sixteen elements."
//# outcomes = ["wrong_answer"]
//# caught_by = ["tolerance"]
extern "C" void kernel(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    int64_t few = n < 16 ? n : 16;
    float mean = 0, variance = 0;
    for (int64_t j = 0; j < few; ++j) mean += x[r * n + j] / few;
    for (int64_t j = 0; j < few; ++j) variance += (x[r * n + j] - mean) * (x[r * n + j] - mean) / few;
    float scale = 1 / __builtin_sqrtf(variance + 1e-5f);
    for (int64_t j = 0; j < n; ++j) y[r * n + j] = (x[r * n + j] - mean) * scale;
  }
}
